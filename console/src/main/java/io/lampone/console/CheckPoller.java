package io.lampone.console;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.check.Finding;
import io.lampone.console.core.FindingsView;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Runs the checks of {@code lampone check} once a minute in one task, and reads the findings of the
 * last {@code lampone doctor}, independent of the number of viewers.
 */
final class CheckPoller implements AutoCloseable {

  /** The checks of a cluster. */
  @FunctionalInterface
  interface Check {
    List<Finding> run() throws InterruptedException;
  }

  private static final long PAUSE_SECONDS = 60;

  /** Longest file of findings that is read. */
  private static final long MAX_FILE_BYTES = 4L << 20;

  private final Check check;
  private final Optional<Path> doctor;
  private final Clock clock;
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "lampone-console-check");
            thread.setDaemon(true);
            return thread;
          });

  /** Written by the task, read by all. */
  private volatile FindingsView view = FindingsView.NONE;

  /**
   * @param doctor output of {@code lampone doctor --json}, if there is one
   */
  CheckPoller(Check check, Optional<Path> doctor, Clock clock) {
    this.check = check;
    this.doctor = doctor;
    this.clock = clock;
  }

  void start() {
    executor.scheduleWithFixedDelay(this::poll, 0, PAUSE_SECONDS, TimeUnit.SECONDS);
  }

  /** Checks once. A failure becomes a finding. */
  void poll() {
    try {
      List<Finding> findings = check.run();
      view = new FindingsView(findings, clock.wallMillis(), examined());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      Finding failure =
          Finding.fail("check", "", String.valueOf(e.getMessage()), "see 'lampone check --debug'");
      view = new FindingsView(List.of(failure), clock.wallMillis(), examined());
    }
  }

  /** Writes the findings of the last check into an overview. */
  void describe(ObjectNode root) {
    view.writeTo(root, clock.wallMillis());
  }

  private Optional<FindingsView.Examined> examined() {
    return doctor.map(
        file -> {
          try {
            if (Files.size(file) > MAX_FILE_BYTES) {
              return FindingsView.Examined.unreadable(file + " is longer than 4 MB");
            }
            return FindingsView.Examined.of(
                Files.readString(file, StandardCharsets.UTF_8),
                Files.getLastModifiedTime(file).toMillis());
          } catch (IOException e) {
            return FindingsView.Examined.unreadable("cannot read " + e.getMessage());
          }
        });
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
