package io.lampone.tm.core.oracle;

import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Callers that met a timestamp that is impossible unless the epoch has moved (protocol page,
 * section 6, [M14]). They wait for the store's answer to a read or renewal that was sent after
 * their call. Not thread-safe: a part of {@code Primary}.
 */
public final class EpochVerification {

  /**
   * Minimum pause between two reads that only verifications need, so that a client that invents
   * timestamps cannot keep the store busy. The first read is immediate.
   */
  public static final Duration PAUSE = Duration.ofMillis(100);

  private final Clock clock;
  private final List<CompletableFuture<Void>> waiting = new ArrayList<>();

  /** Time of the last read of the record, or of the attempt. */
  private long readSentNanos;

  public EpochVerification(Clock clock) {
    this.clock = clock;
    this.readSentNanos = clock.monotonicNanos() - PAUSE.toNanos();
  }

  /** Adds a caller; the future completes when its verification is settled. */
  public CompletableFuture<Void> raise() {
    CompletableFuture<Void> settled = new CompletableFuture<>();
    waiting.add(settled);
    return settled;
  }

  /** Returns the callers so far. */
  public List<CompletableFuture<Void>> raised() {
    return List.copyOf(waiting);
  }

  /** Returns true if a read of the record is due for waiting callers. */
  public boolean wantRead() {
    return !waiting.isEmpty() && clock.monotonicNanos() - readSentNanos >= PAUSE.toNanos();
  }

  /** Records that a read of the record is sent. */
  public void readSent() {
    readSentNanos = clock.monotonicNanos();
  }

  /** Completes {@code asked}: an operation sent later has shown that the epoch has not moved. */
  public void dispel(List<CompletableFuture<Void>> asked) {
    waiting.removeAll(asked);
    asked.forEach(settled -> settled.complete(null));
  }

  /** Fails {@code asked}: the epoch has moved, or that is unknown. */
  public void fail(List<CompletableFuture<Void>> asked, Exception why) {
    waiting.removeAll(asked);
    asked.forEach(settled -> settled.completeExceptionally(why));
  }
}
