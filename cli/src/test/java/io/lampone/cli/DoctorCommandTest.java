package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.MalformedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DoctorCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aFileOfSettingsThatIsNotThereIsToldInOneLine() {
    assertThat(execute("t", "--config=/nowhere/hbase-site.xml")).isEqualTo(1);
    assertThat(err.toString())
        .startsWith("ERROR: cannot read the file /nowhere/hbase-site.xml: there is none")
        .doesNotContain("\tat ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "9300000000", "9223372036854775807"})
  void anAgeThatCannotBeIsRefused(String seconds) {
    assertThat(execute("t", "--older-than=" + seconds, "--zookeeper=127.0.0.1:1")).isEqualTo(2);
    assertThat(err.toString()).contains("--older-than must be in 0..", "not " + seconds);
  }

  @Test
  void aNameThatNoTableCanHaveIsTold() {
    assertThat(execute("a b", "--zookeeper=127.0.0.1:1")).isEqualTo(1);
    assertThat(err.toString()).contains("'a b' cannot be the name of a table");
  }

  /** An unfixable finding does not prevent the treatment of others. */
  @Test
  void aFixThatFailsIsToldHoweverItFails() {
    assertThat(DoctorCommand.outcome(() -> "settled")).isEqualTo("settled");
    assertThat(
            DoctorCommand.outcome(
                () -> {
                  throw new IOException("no answer");
                }))
        .isEqualTo("could not: IOException: no answer");
    assertThat(
            DoctorCommand.outcome(
                () -> {
                  throw new MalformedException("of another version");
                }))
        .contains("could not: ", "of another version");
  }

  @Test
  void theHelpSaysWhatAFixDoesToTheTable() {
    assertThat(execute("--help")).isZero();
    assertThat(out.toString().replaceAll("\\s+", " ")).contains("reopens its regions");
  }

  @Test
  void sqlNeedsItsPart_andChangesNothing() {
    assertThat(execute("--sql", "--fix")).isEqualTo(2);
    assertThat(err.toString()).contains("--sql changes nothing");
    assertThat(execute("--sql", "--zookeeper=127.0.0.1:1")).isEqualTo(1);
    assertThat(err.toString()).contains("'lampone doctor --sql'", "lampone-sql-");
    assertThat(execute("--zookeeper=127.0.0.1:1")).isEqualTo(2);
    assertThat(err.toString()).contains("name a table");
  }

  private int execute(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "doctor";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all);
  }
}
