package io.lampone.tm.core.validation;

import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/**
 * Conflict hashes that running transactions have reserved (ADR 96). LeanXcale's conflict manager
 * (paper 000, 4.1 and Algorithm 3): a hash has at most one active updater, and the first one wins.
 *
 * <pre>
 *   a checked hash is recorded above start      conflict: the transaction can never pass
 *   a checked hash is held by another start     held: the later updater aborts
 *   otherwise                                   reserved, as far as there is room
 * </pre>
 *
 * <p>A reservation ends with the validation or vote of its holder, with a release, or {@link
 * #LIFETIME} after its last renewal, the last of which is at the age {@link #LONGEST}. It is a
 * hint: no validation and no vote depends on it, so it may be lost, late, or at a validator that
 * has lost the bucket.
 *
 * <p>Single-threaded. The time is given, and never goes back.
 */
final class Reservations {

  /**
   * Age from which on a transaction reserves and renews nothing; the newest one that has asked here
   * tells the time. A transaction that stays open would hold others' rows as long as it liked.
   */
  static final Duration LONGEST = Duration.ofSeconds(5);

  /** Maximum number of reservations; no more are made. */
  static final int CAPACITY = 1 << 16;

  /** Maximum number of reservations of one sender. */
  static final int MAX_OF_SENDER = CAPACITY / 16;

  /** Time after the last renewal until which a hash is held. */
  static final Duration LIFETIME = Duration.ofSeconds(1);

  /** Result of {@link #holder} for a free hash. */
  static final long NONE = 0;

  /** By hash, in the order of their ends. */
  private final Map<Long, Held> held = new LinkedHashMap<>();

  private final Map<Object, Integer> bySender = new HashMap<>();

  /** The highest start timestamp that has asked for a reservation. */
  private long newestStart;

  private record Held(long start, Object sender, long untilNanos) {}

  /**
   * Answers a reserve request.
   *
   * @param lastCommit returns the highest commit timestamp recorded for a hash
   */
  void answer(
      RequestCursor request, LongUnaryOperator lastCommit, long nowNanos, ReplyWriter replies) {
    long id = request.id();
    expire(nowNanos);
    if (request.has(FrameLayout.FLAG_RELEASE)) {
      end(request);
      replies.reserved(id);
      return;
    }
    long start = request.startTimestamp();
    newestStart = Math.max(newestStart, start);
    int checks = request.checks();
    for (int i = 0; i < checks; i++) {
      long last = lastCommit.applyAsLong(request.check(i));
      if (last > start) {
        replies.reservedConflict(id, i, last);
        return;
      }
    }
    for (int i = 0; i < checks; i++) {
      long holder = holder(request.check(i), nowNanos);
      if (holder != NONE && holder != start) {
        replies.reservedHeld(id, i, holder);
        return;
      }
    }
    boolean isOld = newestStart - start > LONGEST.toNanos();
    for (int i = 0; i < request.records() && !isOld; i++) {
      reserve(request.record(i), start, request.sender(), nowNanos);
    }
    replies.reserved(id);
  }

  /** Ends the reservations of a transaction on the hashes that its request records. */
  void end(RequestCursor request) {
    if (held.isEmpty()) {
      return;
    }
    for (int i = 0; i < request.records(); i++) {
      long hash = request.record(i);
      Held old = held.get(hash);
      if (old != null && old.start == request.startTimestamp()) {
        remove(hash, old);
      }
    }
  }

  /** Returns the start timestamp of the transaction that holds a hash, or {@link #NONE}. */
  long holder(long hash, long nowNanos) {
    Held found = held.get(hash);
    return found == null || found.untilNanos - nowNanos <= 0 ? NONE : found.start;
  }

  /** Returns the number of hashes that are held; forgets expired ones. */
  int size(long nowNanos) {
    expire(nowNanos);
    return held.size();
  }

  /** Reserves a hash that no other transaction holds, or renews its reservation. */
  private void reserve(long hash, long start, Object sender, long nowNanos) {
    Held old = held.get(hash);
    if (old != null && old.start != start) {
      return; // recorded without a check, as the mark of a family is: the first one keeps it
    }
    if (old != null) {
      remove(hash, old);
    }
    int own = bySender.getOrDefault(sender, 0);
    if (held.size() < CAPACITY && own < MAX_OF_SENDER) {
      held.put(hash, new Held(start, sender, nowNanos + LIFETIME.toNanos()));
      bySender.put(sender, own + 1);
    }
  }

  private void remove(long hash, Held old) {
    held.remove(hash);
    count(old);
  }

  private void count(Held removed) {
    bySender.computeIfPresent(removed.sender, (sender, own) -> own == 1 ? null : own - 1);
  }

  private void expire(long nowNanos) {
    Iterator<Held> oldest = held.values().iterator();
    while (oldest.hasNext()) {
      Held next = oldest.next();
      if (next.untilNanos - nowNanos > 0) {
        return;
      }
      oldest.remove();
      count(next);
    }
  }
}
