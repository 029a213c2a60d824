package io.lampone.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cli.CommandException;
import io.lampone.cli.Lampone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.phoenix.exception.SQLExceptionCode;
import org.apache.phoenix.exception.SQLExceptionInfo;
import org.junit.jupiter.api.Test;

class SqlChecksTest {

  @Test
  void aMasterWithoutTheObserverIsToldWithWhatItHas() {
    assertThatCode(
            () -> SqlChecks.require(List.of(SqlChecks.guard(List.of("Other", "TableGuard")))))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> SqlChecks.require(List.of(SqlChecks.guard(List.of("Other")))))
        .isInstanceOfSatisfying(
            CommandException.class,
            e ->
                assertThat(e.advice())
                    .startsWith("add io.lampone.coprocessor.TableGuard to")
                    .contains("docs/sql.md"))
        .hasMessageContaining("masterCoprocessors=[Other]");
  }

  /** As HBase's master refuses Phoenix's catalogue. */
  @Test
  void serversWithoutPhoenixAreTold() {
    IOException refused =
        new DoNotRetryIOException(
            "Class org.apache.phoenix.coprocessor.MetaDataEndpointImpl cannot be loaded Set"
                + " hbase.table.sanity.checks to false at conf or table descriptor if you want to"
                + " bypass sanity checks");
    CommandException told = SqlChecks.explained(new SQLException(refused.getMessage(), refused));
    assertThat(told).hasMessageContaining("servers do not have Apache Phoenix");
    assertThat(told.advice()).contains("5.2.1", "lib folder");
  }

  @Test
  void anotherVersionOnTheServersIsTold() {
    SQLException outdated =
        new SQLExceptionInfo.Builder(SQLExceptionCode.INCOMPATIBLE_CLIENT_SERVER_JAR)
            .setMessage("client 5.2.1, server 4.16.0")
            .build()
            .buildException();
    assertThat(SqlChecks.explained(outdated))
        .hasMessageContaining("another version of Apache Phoenix")
        .hasMessageContaining("server 4.16.0");
  }

  /** Parsed, not run: other tests run them. */
  @Test
  void theCommandsOfThePageExist() throws IOException {
    String page = Files.readString(Path.of("..", "..", "docs", "sql.md"));
    Matcher blocks = Pattern.compile("```sh\\n(.*?)```", Pattern.DOTALL).matcher(page);
    int commands = 0;
    while (blocks.find()) {
      for (String line : blocks.group(1).split("\\n")) {
        List<String> words = words(line);
        assertThat(words.get(0)).isEqualTo("bin/lampone");
        Lampone.commandLine().parseArgs(words.subList(1, words.size()).toArray(String[]::new));
        commands++;
      }
    }
    assertThat(commands).isGreaterThanOrEqualTo(5);
  }

  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    Matcher each = Pattern.compile("\"([^\"]*)\"|(\\S+)").matcher(line);
    while (each.find()) {
      words.add(each.group(1) != null ? each.group(1) : each.group(2));
    }
    return words;
  }
}
