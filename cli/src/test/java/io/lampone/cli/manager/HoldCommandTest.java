package io.lampone.cli.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.Lampone;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HoldCommandTest {

  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @ValueSource(strings = {"0", "-5", "2592001", "9223372036854775807"})
  void aLifetimeThatCannotBeIsRefusedBeforeAnythingIsSent(String seconds) {
    for (String verb : new String[] {"take", "renew"}) {
      err.getBuffer().setLength(0);
      int exit =
          Lampone.commandLine()
              .setErr(new PrintWriter(err, true))
              .execute("hold", verb, "night", "--for=" + seconds, "--zookeeper=127.0.0.1:1");
      assertThat(exit).as(err.toString()).isEqualTo(2);
      assertThat(err.toString()).contains("--for must be in 1..2592000, not " + seconds);
    }
  }
}
