package io.lampone.benchmarks;

import io.lampone.benchmarks.report.Fields;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One server, its load generator, and the results of both. */
public final class MeasuredServer implements AutoCloseable {

  /** Load before each slice, which fills the server's caches and lets a stopped clock catch up. */
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
   * Creates a server from two running processes.
   *
   * @param suspended true to stop the server while another one is measured, because it uses
   *     processor time even when idle
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

  /** Starts Lampone's transaction manager and its client, each in a separate process. */
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

  /** Returns the title for tables. */
  public String title() {
    return title;
  }

  /** Returns the slices of a phase, in order. */
  public List<Slice> slices(LoadPhase phase) {
    return slices.stream().filter(slice -> slice.phase().equals(phase)).toList();
  }

  /** Returns its two processes. */
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
