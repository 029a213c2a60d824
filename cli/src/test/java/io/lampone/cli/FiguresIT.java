package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FiguresIT {

  @Test
  void aNewcomerSeesBothFiguresAndWhichCallToChoose() {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit =
        Lampone.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute("figures");
    assertThat(exit).as(() -> out + "\n" + err).isZero();
    assertThat(out.toString())
        .contains("Figure 2", "Figure 3", "observe()", "strict()", "ConflictException")
        .doesNotContain("LOST UPDATE");
  }
}
