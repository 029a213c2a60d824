package io.lampone.faultlab.fault;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs short commands of the system. */
final class SystemCommands {

  private SystemCommands() {}

  /**
   * Runs a command and waits for its end.
   *
   * @return its output
   * @throws IOException with its output, if it fails
   */
  static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException(
          "a command failed, command='"
              + String.join(" ", List.of(command))
              + "' code="
              + code
              + " output='"
              + said.strip()
              + "'");
    }
    return said;
  }
}
