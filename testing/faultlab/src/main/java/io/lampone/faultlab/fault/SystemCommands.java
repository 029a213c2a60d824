package io.lampone.faultlab.fault;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs commands of the system that take no time. */
final class SystemCommands {

  private SystemCommands() {}

  /**
   * Runs a command and waits for its end.
   *
   * @return what it has said
   * @throws IOException if it fails: with what it has said
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
