package io.lampone.benchmarks;

import io.lampone.benchmarks.report.Fields;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One server, its own generator of load, and what has been seen of them. */
public final class MeasuredServer implements AutoCloseable {

  /** Put on a server before each slice: it finds its caches again, and its clock if it stood. */
  private static final Duration SETTLING = Duration.ofMillis(200);

  /** Longest time of an answer beyond the duration of the load itself. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String title;
  private final ChildProcess server;
  private final ChildProcess load;

  /** True if the server is stopped while another side is measured. */
  private final boolean suspended;

  private final List<Slice> slices = new ArrayList<>();

  /**
   * A side whose two processes run.
   *
   * @param suspended whether to stop the server while another side is measured, because it takes
   *     time on the processor even when nobody asks it anything
   */
  public MeasuredServer(String title, ChildProcess server, ChildProcess load, boolean suspended)
      throws IOException {
    this.title = title;
    this.server = server;
    this.load = load;
    this.suspended = suspended;
    if (suspended) {
      server.suspend();
    }
  }

  /** Lampone's transaction manager and its client, each in a process of its own. */
  public static MeasuredServer lampone(
      String title, ConflictLevel level, String classPath, int heapMegabytes, Cores cores)
      throws IOException {
    ChildProcess server =
        ChildProcess.startServer(
            new ChildProcess.Program(
                title, classPath, MemoryManagerProcess.class.getName(), heapMegabytes, List.of()),
            cores);
    List<String> where = List.of(server.ready().text("port"), level.name());
    try {
      ChildProcess load =
          ChildProcess.startLoad(
              new ChildProcess.Program(
                  title + " load",
                  classPath,
                  LamponeLoadProcess.class.getName(),
                  heapMegabytes,
                  where),
              cores);
      return new MeasuredServer(title, server, load, false);
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** For tables. */
  public String title() {
    return title;
  }

  /** Returns the slices of a phase, in order. */
  public List<Slice> slices(LoadPhase phase) {
    return slices.stream().filter(slice -> slice.phase().equals(phase)).toList();
  }

  /** Its two processes. */
  public List<ChildProcess> processes() {
    return List.of(server, load);
  }

  /** Puts load on the server without keeping any figure. */
  public void warmUp(LoadPhase phase, Duration duration) throws IOException {
    run(phase, duration);
  }

  /** Puts load on the server and keeps the figures. */
  public void measure(LoadPhase phase, Duration duration) throws IOException {
    slices.add(run(phase, duration));
  }

  @Override
  public void close() {
    load.close();
    server.close();
  }

  private Slice run(LoadPhase phase, Duration duration) throws IOException {
    if (suspended) {
      server.resume();
    }
    ask(phase.command(SETTLING), SETTLING);
    long cpuBefore = server.cpuNanos();
    TransactionLoadResult result = ask(phase.command(duration), duration);
    long cpuNanos = server.cpuNanos() - cpuBefore;
    if (suspended) {
      server.suspend();
    }
    return new Slice(phase, result, cpuNanos);
  }

  private TransactionLoadResult ask(Fields command, Duration duration) throws IOException {
    TransactionLoadResult result =
        TransactionLoadResult.decode(load.ask(command, duration.plus(PATIENCE)));
    if (result.failed() > 0) {
      throw new IOException(
          "requests without an answer, side=" + title + " failed=" + result.failed());
    }
    return result;
  }
}
