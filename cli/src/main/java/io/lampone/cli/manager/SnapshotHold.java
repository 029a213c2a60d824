package io.lampone.cli.manager;

import com.fasterxml.jackson.databind.JsonNode;
import io.lampone.cli.CommandException;
import io.lampone.cli.Failure;
import io.lampone.protocol.tm.Hold;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Named hold on the snapshot that a command reads, renewed in the background until it is closed.
 *
 * <p>A renewal acquires the hold again. A primary that dies loses its holds, but its successor
 * keeps the safe point for the longest lifetime of a hold; a renewal within that time loses
 * nothing.
 */
public final class SnapshotHold implements AutoCloseable {

  /** Renewals in the lifetime of a hold. */
  private static final int RENEWALS_PER_LIFETIME = 3;

  private final ManagerOperations operations;
  private final String name;
  private final long timestamp;
  private final ScheduledExecutorService renewals;

  private boolean releasedAtEnd;

  /** True if a failed renewal has been reported; once is enough for a user. */
  private final AtomicBoolean told = new AtomicBoolean();

  private SnapshotHold(
      ManagerOperations operations, String name, long timestamp, boolean releasedAtEnd) {
    this.operations = operations;
    this.name = name;
    this.timestamp = timestamp;
    this.releasedAtEnd = releasedAtEnd;
    this.renewals =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "hold-renewal");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Refusal of a snapshot below the cluster's safe point, which a table may still keep. */
  public static final class TooOldException extends CommandException {
    private static final long serialVersionUID = 1L;

    private TooOldException(String message, String advice, Throwable cause) {
      super(message, advice, cause);
    }
  }

  /**
   * Acquires a hold that is released at the end.
   *
   * @throws TooOldException if the snapshot is too old
   */
  public static SnapshotHold taken(
      ManagerOperations operations, String name, long timestamp, PrintWriter errors)
      throws IOException, InterruptedException {
    return new SnapshotHold(operations, name, timestamp, true).start(errors);
  }

  /** Returns no hold, for a snapshot that the tables keep by themselves. */
  public static SnapshotHold none(ManagerOperations operations, long timestamp) {
    return new SnapshotHold(operations, "", timestamp, false);
  }

  /**
   * Renews an existing hold, and leaves it at the end.
   *
   * @throws CommandException if there is none
   */
  public static SnapshotHold existing(ManagerOperations operations, String name, PrintWriter errors)
      throws IOException, InterruptedException {
    for (JsonNode hold : operations.atPrimary("holds", "").content().path("holds")) {
      if (hold.path("name").asText().equals(name)
          && hold.path("owner").asText().equals(HoldCommand.DEFAULT_OWNER)) {
        long timestamp = hold.path("timestamp").asLong();
        return new SnapshotHold(operations, name, timestamp, false).start(errors);
      }
    }
    throw new CommandException(
        "there is no snapshot of this name, name=" + name,
        "it may have expired; 'lampone hold list' shows what there is, 'lampone snapshot' takes a"
            + " new one");
  }

  /**
   * Acquires a hold, or extends an existing one.
   *
   * @return its lifetime from now on, in milliseconds
   * @throws CommandException if the snapshot is too old
   */
  static long hold(ManagerOperations operations, String name, long timestamp, long atMostMillis)
      throws IOException, InterruptedException {
    long lifetime = Math.min(longestMillis(operations), atMostMillis);
    String arguments =
        "owner="
            + HoldCommand.DEFAULT_OWNER
            + " name="
            + name
            + " timestamp="
            + timestamp
            + " ttl="
            + lifetime;
    try {
      operations.atPrimary("hold", arguments);
    } catch (CommandException e) {
      if (String.valueOf(e.getMessage()).contains(Hold.BELOW_SAFE_POINT)) {
        throw new TooOldException(
            "LP-104 the snapshot is too old: it is below the safe point, timestamp=" + timestamp,
            "what it showed may have been collected: take a new one ('lampone snapshot'), and use it"
                + " before its hold expires",
            e);
      }
      throw e;
    }
    return lifetime;
  }

  /** Returns the longest permitted time of a hold in this cluster. */
  static long longestMillis(ManagerOperations operations) throws IOException, InterruptedException {
    return operations.atPrimary("holds", "").content().path("longestHoldMillis").asLong();
  }

  public long timestamp() {
    return timestamp;
  }

  /** Lets the hold expire instead of releasing it, so that work at the snapshot can be resumed. */
  public void keep(PrintWriter errors) {
    if (releasedAtEnd) {
      releasedAtEnd = false;
      errors.println(
          "The snapshot stays readable for as long as a hold lasts (lampone.tm.hold.longest),"
              + " hold="
              + name);
      errors.flush();
    }
  }

  private SnapshotHold start(PrintWriter errors) throws IOException, InterruptedException {
    try {
      long lifetime = hold(operations, name, timestamp, Long.MAX_VALUE);
      long period = Math.max(1, lifetime / RENEWALS_PER_LIFETIME);
      renewals.scheduleWithFixedDelay(() -> renew(errors), period, period, TimeUnit.MILLISECONDS);
      return this;
    } catch (IOException | InterruptedException | RuntimeException e) {
      renewals.shutdownNow();
      throw e;
    }
  }

  private void renew(PrintWriter errors) {
    try {
      long lifetime = hold(operations, name, timestamp, Long.MAX_VALUE);
      assert lifetime > 0;
    } catch (IOException | RuntimeException e) {
      // Reads are checked by themselves; the next renewal may succeed.
      if (told.compareAndSet(false, true)) {
        Failure.of(e).print(errors, "the hold could not be renewed: ");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops the renewal; releases a hold acquired for the command only, or lets it expire. */
  @Override
  public void close() {
    renewals.shutdownNow();
    if (!releasedAtEnd) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      release(operations, name);
    } catch (IOException | RuntimeException e) {
      return; // it expires
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Releases a hold; returns true if there was one. */
  static boolean release(ManagerOperations operations, String name)
      throws IOException, InterruptedException {
    return operations
        .atPrimary("release", "owner=" + HoldCommand.DEFAULT_OWNER + " name=" + name)
        .content()
        .path("released")
        .asBoolean();
  }

  /**
   * A name for a hold.
   *
   * @throws CommandException if it is none
   */
  public static String name(String text) {
    if (!text.matches(Hold.TEXT)) {
      throw new CommandException(
          "not a name: '" + text + "'",
          "1 to " + Hold.MAX_TEXT_LENGTH + " letters, digits and . _ : @ -");
    }
    return text;
  }
}
