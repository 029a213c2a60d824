package io.lampone.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs programs that build and test. */
public final class Maven {

  private static final long END_SECONDS = 30;

  private Maven() {}

  /** Runs a program to its end, its output on {@code err}, and returns its exit code. */
  static int run(Path folder, PrintWriter err, List<String> command)
      throws IOException, InterruptedException {
    Process process = builder(folder, command).start();
    try (var output = process.inputReader()) {
      output.lines().forEach(err::println);
      return process.waitFor();
    } finally {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
    }
  }

  /**
   * Runs a program; after {@code limit}, ends it and all its children.
   *
   * @param environment added to that of this process
   * @param log file for its output, overwritten
   * @return its exit code, or empty if it was ended
   */
  public static OptionalInt run(
      Path folder, Map<String, String> environment, Path log, Duration limit, List<String> command)
      throws IOException, InterruptedException {
    ProcessBuilder builder = builder(folder, command).redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)
          ? OptionalInt.of(process.exitValue())
          : OptionalInt.empty();
    } finally {
      end(process);
    }
  }

  private static void end(Process process) throws InterruptedException {
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    all.forEach(ProcessHandle::destroy);
    process.waitFor(END_SECONDS, TimeUnit.SECONDS);
    all.forEach(ProcessHandle::destroyForcibly);
  }

  private static ProcessBuilder builder(Path folder, List<String> command) {
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
  }
}
