package io.lampone.sql;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.phoenix.jdbc.PhoenixDriver;
import sqlline.SqlLine;
import sqlline.SqlLine.Status;

/** The prompt of sqlline, on the cluster of {@link CommandConfiguration}. */
final class SqlPrompt {

  private SqlPrompt() {}

  /**
   * Runs it.
   *
   * @param further arguments of sqlline
   * @return whether every statement of a script ended well; true of a dialog
   */
  static boolean run(List<String> further) throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(
        List.of("-d", PhoenixDriver.class.getName(), "-u", CommandConfiguration.url()));
    arguments.addAll(List.of("-n", "none", "-p", "none"));
    arguments.addAll(
        List.of("--isolation=TRANSACTION_READ_COMMITTED", "--fastConnect=true", "--silent=false"));
    arguments.addAll(further);
    return new SqlLine().begin(arguments.toArray(String[]::new), null, true) == Status.OK;
  }
}
