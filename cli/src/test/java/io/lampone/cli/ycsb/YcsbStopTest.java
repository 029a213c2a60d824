package io.lampone.cli.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.cli.StopSignal;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of {@code lampone ycsb} by a signal, with another program in the place of YCSB. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class YcsbStopTest {

  private static final String ENDED = "the command has ended";

  @Test
  void aSignalThatEndsTheCommandEndsYcsb() throws Exception {
    Process command =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                YcsbStopTest.class.getName())
            .redirectError(Redirect.INHERIT)
            .start();
    try (BufferedReader lines = command.inputReader()) {
      ProcessHandle ycsb = ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
      try {
        command.toHandle().destroy(); // unlike destroy(), leaves its output open
        command.waitFor();
        await().atMost(Duration.ofSeconds(20)).until(() -> !ycsb.isAlive());
        assertThat(lines.lines()).contains(ENDED);
      } finally {
        ycsb.destroyForcibly();
      }
    } finally {
      command.destroyForcibly();
    }
  }

  /** Runs a program that prints its process id and waits. */
  public static void main(String[] arguments) throws Exception {
    PrintWriter out = new PrintWriter(System.out, true);
    try (StopSignal stop = StopSignal.forThisThread()) {
      try {
        YcsbCommand.execute(
            List.of("sh", "-c", "echo $$; exec sleep 200"), YcsbReport.ofLoad(1), out, stop);
      } finally {
        out.println(ENDED);
      }
    }
  }
}
