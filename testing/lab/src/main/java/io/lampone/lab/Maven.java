package io.lampone.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

/** Runs programs that build, with their output on the error stream of a command. */
final class Maven {

  private Maven() {}

  /** Runs a program to its end and returns its exit code. */
  static int run(Path folder, PrintWriter err, List<String> command)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    try (var output = process.inputReader()) {
      output.lines().forEach(err::println);
      return process.waitFor();
    } finally {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
    }
  }
}
