package io.lampone.console;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.manager.ManagersReport;
import io.lampone.console.core.OverviewCore;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Polls the managers once a second in one task, independent of the number of viewers. */
final class OverviewPoller implements AutoCloseable {

  /** Request for the state of the managers. */
  @FunctionalInterface
  interface Source {
    ManagersReport ask() throws IOException, InterruptedException;
  }

  private static final long PAUSE_SECONDS = 1;

  private final Source source;
  private final Consumer<ObjectNode> further;
  private final Clock clock;
  private final OverviewCore core = new OverviewCore();
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "lampone-console-poller");
            thread.setDaemon(true);
            return thread;
          });

  /** Written by the task, read by all. */
  private volatile String json;

  /**
   * @param further adds to an overview what others have found
   */
  OverviewPoller(Source source, Consumer<ObjectNode> further, Clock clock) {
    this.further = further;
    this.source = source;
    this.clock = clock;
    json = text(core.failed("not asked yet", clock.monotonicNanos()));
  }

  void start() {
    executor.scheduleWithFixedDelay(this::poll, 0, PAUSE_SECONDS, TimeUnit.SECONDS);
  }

  /** Polls once. A failure becomes part of the overview. */
  void poll() {
    try {
      ManagersReport report = source.ask();
      json = text(core.next(report, clock.monotonicNanos()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      String problem = String.valueOf(e.getMessage());
      json = text(core.failed(problem, clock.monotonicNanos()));
    }
  }

  /** Returns the last overview as JSON. */
  String json() {
    return json;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }

  private String text(ObjectNode overview) {
    further.accept(overview);
    return overview.toString();
  }
}
