package io.lampone.sql;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.phoenix.LamponePhoenix;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code lampone sql adopt}. */
@Command(
    name = "adopt",
    description = {
      "Makes a table of SQL transactional that was created without TRANSACTIONAL=true. Its rows stay"
          + " where they are.",
      "Drop its indexes before, and create them again afterwards. Statements on it fail meanwhile."
          + " Interrupted, it may be given again."
    },
    footer = {"", "Exit codes: 0 done; 1 failed, and the message says why; 2 wrong options."})
final class AdoptCommand extends SqlTableCommand {

  @Override
  int run(Connection sql, PrintWriter out) throws SQLException, IOException {
    LamponePhoenix.adopt(sql, table);
    out.println(
        json
            ? new ObjectMapper().writeValueAsString(Map.of("table", table))
            : "Table " + table + " is transactional.");
    return 0;
  }
}
