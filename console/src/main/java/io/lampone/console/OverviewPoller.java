package io.lampone.console;

import io.lampone.cli.manager.ManagersReport;
import io.lampone.console.core.OverviewCore;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Polls the managers once a second in one task, independent of the number of viewers. */
final class OverviewPoller implements AutoCloseable {

  /** Request for the state of the managers. */
  @FunctionalInterface
  interface Source {
    ManagersReport ask() throws IOException, InterruptedException;
  }

  private static final long PAUSE_SECONDS = 1;

  private final Source source;
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
  private volatile byte[] json;

  OverviewPoller(Source source, Clock clock) {
    this.source = source;
    this.clock = clock;
    json = bytes(core.failed("not asked yet", clock.monotonicNanos()).toString());
  }

  void start() {
    executor.scheduleWithFixedDelay(this::poll, 0, PAUSE_SECONDS, TimeUnit.SECONDS);
  }

  /** Polls once. A failure becomes part of the overview. */
  void poll() {
    try {
      ManagersReport report = source.ask();
      json = bytes(core.next(report, clock.monotonicNanos()).toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      String problem = String.valueOf(e.getMessage());
      json = bytes(core.failed(problem, clock.monotonicNanos()).toString());
    }
  }

  /** Returns the last overview as JSON. */
  byte[] json() {
    return json;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
