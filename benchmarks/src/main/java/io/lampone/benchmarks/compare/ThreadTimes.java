package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.ChildProcess;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Processor time of a process, as the sum of its threads: the kernel reports that of threads in
 * nanoseconds, the sum in hundredths of a second. The time of a thread between the last reading and
 * its end is lost. Without thread times in the kernel, the sum in hundredths is used.
 */
final class ThreadTimes {

  private final ChildProcess process;
  private final Path tasks;

  /** Time of each thread at the last reading; used by one thread at a time. */
  private final Map<String, Long> nanosByThread = new HashMap<>();

  /** Time of ended threads whose number has been reused. */
  private long endedNanos;

  ThreadTimes(ChildProcess process) {
    this.process = process;
    this.tasks = Path.of("/proc", Long.toString(process.pid()), "task");
  }

  /** Returns the time so far; never less than before. */
  long nanos() throws IOException {
    if (!Files.exists(Path.of("/proc/self/schedstat"))) {
      return process.cpuNanos();
    }
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        look(thread);
      }
    }
    return endedNanos + nanosByThread.values().stream().mapToLong(Long::longValue).sum();
  }

  private void look(Path thread) throws IOException {
    try {
      String told = Files.readString(thread.resolve("schedstat"));
      long nanos = Long.parseLong(told.substring(0, told.indexOf(' ')));
      Long before = nanosByThread.put(thread.getFileName().toString(), nanos);
      if (before != null && before > nanos) {
        endedNanos += before;
      }
    } catch (NoSuchFileException ended) {
      // Ended: its time at the last reading remains.
    } catch (IOException e) {
      if (Files.exists(thread)) {
        throw e; // "No such process" of an ending thread has no specific type
      }
    }
  }
}
