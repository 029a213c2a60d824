package io.lampone.phoenix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.phoenix.SqlCluster.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The blocks of the SQL page: each statement, with the rows or the failure that it names. */
@ExtendWith(SqlCluster.class)
class SqlDocumentationIT {

  private static final String RESULT = "-- ";
  private static final String FAILS = "-- fails: ";

  private final Sql sql;

  SqlDocumentationIT(Sql sql) {
    this.sql = sql;
  }

  private static List<String> blocks(String language) throws IOException {
    return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
        .matcher(Files.readString(Path.of("..", "docs", "sql.md")))
        .results()
        .map((MatchResult block) -> block.group(1))
        .toList();
  }

  @Test
  void everyStatementDoesWhatThePageSays() throws Exception {
    List<String> blocks = blocks("sql");
    assertThat(blocks).hasSizeGreaterThanOrEqualTo(4);
    try (Connection connection = sql.connect(true)) {
      for (String block : blocks) {
        run(connection, List.of(block.split("\n")));
      }
    }
  }

  private static void run(Connection connection, List<String> lines) throws SQLException {
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      List<String> said = new ArrayList<>();
      while (i + 1 < lines.size() && lines.get(i + 1).startsWith(RESULT)) {
        i++;
        said.add(lines.get(i));
      }
      if (line.startsWith("!")) {
        order(connection, line);
      } else if (!said.isEmpty() && said.get(0).startsWith(FAILS)) {
        assertThatThrownBy(() -> Sql.update(connection, statement(line)))
            .as(line)
            .isInstanceOf(SQLException.class)
            .hasMessageContaining(said.get(0).substring(FAILS.length()));
      } else if (line.startsWith("SELECT")) {
        assertThat(Sql.query(connection, statement(line)))
            .as(line)
            .isEqualTo(said.stream().map(row -> row.substring(RESULT.length())).toList());
      } else {
        Sql.update(connection, statement(line));
      }
    }
  }

  private static String statement(String line) {
    assertThat(line).endsWith(";");
    return line.substring(0, line.length() - 1);
  }

  /** The commands of the prompt. */
  private static void order(Connection connection, String line) throws SQLException {
    switch (line) {
      case "!autocommit on" -> connection.setAutoCommit(true);
      case "!autocommit off" -> connection.setAutoCommit(false);
      case "!commit" -> connection.commit();
      case "!rollback" -> connection.rollback();
      default -> throw new AssertionError(line);
    }
  }

  @Test
  void theClusterOfTheTestsHasTheSettingsOfThePage() throws Exception {
    String[] lines = blocks("properties").get(0).split("\n");
    assertThat(lines).hasSize(2);
    for (String line : lines) {
      String[] setting = line.split(" = ");
      assertThat(sql.cluster().configuration().getStrings(setting[0]))
          .as(line)
          .contains(setting[1]);
    }
  }
}
