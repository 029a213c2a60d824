package io.lampone.benchmarks.load;

import java.io.IOException;
import java.util.List;

/** Binds processes to processors, on machines with the command {@code taskset}. */
public final class Pinning {

  private static final String COMMAND = "taskset";

  private Pinning() {}

  /** Returns true if {@code taskset} can be run and there is such a processor. */
  public static boolean isPossible(int cpu) {
    return succeeds(List.of(COMMAND, "-c", Integer.toString(cpu), "true"));
  }

  /** Returns the prefix of a command. */
  public static List<String> prefix(int cpu) {
    return List.of(COMMAND, "-c", Integer.toString(cpu));
  }

  /** Binds all present and future threads of this process; returns true on success. */
  public static boolean bindThisProcess(int cpu) {
    String pid = Long.toString(ProcessHandle.current().pid());
    return succeeds(List.of(COMMAND, "-a", "-c", "-p", Integer.toString(cpu), pid));
  }

  private static boolean succeeds(List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
