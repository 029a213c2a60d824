package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Those who were shown a timestamp that cannot be, unless the epoch has moved (protocol page,
 * section 6, [M14]): they wait for an answer of the store to something that was sent after they
 * asked, a read or a renewal. Not thread-safe: a part of {@link Primary}.
 */
final class EpochVerification {

  /**
   * Between two reads that only verifications ask for: whoever makes up timestamps must not keep
   * the store busy. The first read comes at once.
   */
  static final Duration PAUSE = Duration.ofMillis(100);

  private final Clock clock;
  private final List<CompletableFuture<Void>> waiting = new ArrayList<>();

  /** When the record was read last, or was to be. */
  private long readSentNanos;

  EpochVerification(Clock clock) {
    this.clock = clock;
    this.readSentNanos = clock.monotonicNanos() - PAUSE.toNanos();
  }

  /** One more; completes when it is settled. */
  CompletableFuture<Void> raise() {
    CompletableFuture<Void> settled = new CompletableFuture<>();
    waiting.add(settled);
    return settled;
  }

  /** Those so far. */
  List<CompletableFuture<Void>> raised() {
    return List.copyOf(waiting);
  }

  /** Returns true if it is time to read the record for those waiting. */
  boolean wantRead() {
    return !waiting.isEmpty() && clock.monotonicNanos() - readSentNanos >= PAUSE.toNanos();
  }

  /** The record is being read. */
  void readSent() {
    readSentNanos = clock.monotonicNanos();
  }

  /** Completes {@code asked}: an operation sent later has shown that the epoch has not moved. */
  void dispel(List<CompletableFuture<Void>> asked) {
    waiting.removeAll(asked);
    asked.forEach(settled -> settled.complete(null));
  }

  /** Fails {@code asked}: the epoch has moved, or that is unknown. */
  void fail(List<CompletableFuture<Void>> asked, Exception why) {
    waiting.removeAll(asked);
    asked.forEach(settled -> settled.completeExceptionally(why));
  }
}
