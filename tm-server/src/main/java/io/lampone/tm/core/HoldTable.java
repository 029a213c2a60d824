package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.Hold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Snapshots that must remain readable, each for a limited time (protocol page, section 7). Holds
 * expire by the monotonic clock, so that they end after the death of their owner, but not by a step
 * of the wall clock.
 *
 * <p>Holds live in the primary's memory and are lost with it. Its successor therefore keeps the
 * safe point unchanged for the longest lifetime of a hold, within which owners that are alive have
 * renewed theirs [R8].
 */
public final class HoldTable {

  /** Maximum number of holds. */
  public static final int MAX_HOLDS = 1024;

  /** Number of holds reserved for administrators. */
  static final int RESERVED_HOLDS = 128;

  /** Maximum number of holds of a principal. */
  static final int MAX_HOLDS_PER_PRINCIPAL = 64;

  /** Maximum number of holds of an owner if clients are not authenticated. */
  static final int MAX_HOLDS_PER_OWNER = 256;

  private final Clock clock;

  /** Maximum lifetime of a hold unless it is renewed. */
  private final Duration longestLifetime;

  private final Map<Key, Entry> entries = new LinkedHashMap<>();

  /** Until this time there may be holds that this table does not know. */
  private long completeFromNanos;

  private record Key(String owner, String name) {}

  private record Entry(long timestamp, long expiryNanos) {}

  public HoldTable(Clock clock, Duration longestLifetime) {
    this.clock = clock;
    this.longestLifetime = longestLifetime;
    this.completeFromNanos = clock.monotonicNanos();
  }

  /**
   * Takes a hold, or renews the one on the same snapshot.
   *
   * @throws IllegalArgumentException if a name or the lifetime is out of range
   * @throws IllegalStateException if the hold is on another snapshot, or there are too many
   */
  void hold(String owner, String name, long timestamp, Duration lifetime) {
    hold(owner, name, timestamp, lifetime, false);
  }

  /** Takes a hold, with the limits of administrators if {@code administrator} is set. */
  void hold(String owner, String name, long timestamp, Duration lifetime, boolean administrator) {
    Key key = key(owner, name);
    long expiry = expiry(lifetime);
    expire();
    Entry old = entries.get(key);
    if (old != null && old.timestamp() != timestamp) {
      throw new IllegalStateException(
          "hold exists on another snapshot: release it first or choose another name, owner="
              + owner
              + " name="
              + name
              + " timestamp="
              + old.timestamp());
    }
    if (old == null) {
      requireRoom(owner, administrator ? MAX_HOLDS : MAX_HOLDS - RESERVED_HOLDS);
    }
    entries.put(key, new Entry(timestamp, expiry));
  }

  /**
   * Extends a hold to {@code lifetime} from now.
   *
   * @throws IllegalStateException if there is none: the snapshot may be gone
   */
  void renew(String owner, String name, Duration lifetime) {
    Key key = key(owner, name);
    long expiry = expiry(lifetime);
    expire();
    Entry old = entries.get(key);
    if (old == null) {
      throw new IllegalStateException(
          "no such hold: it has expired or a transaction manager has died; read from a new"
              + " snapshot, owner="
              + owner
              + " name="
              + name);
    }
    entries.put(key, new Entry(old.timestamp(), expiry));
  }

  /** Returns the snapshot of a hold; empty if there is none. */
  OptionalLong find(String owner, String name) {
    expire();
    Entry entry = entries.get(key(owner, name));
    return entry == null ? OptionalLong.empty() : OptionalLong.of(entry.timestamp());
  }

  /** Ends a hold; returns true if it existed. */
  boolean release(String owner, String name) {
    expire();
    return entries.remove(key(owner, name)) != null;
  }

  /** Returns all holds, oldest first. */
  public List<Hold> list() {
    expire();
    long now = clock.monotonicNanos();
    List<Hold> holds = new ArrayList<>(entries.size());
    entries.forEach(
        (key, entry) ->
            holds.add(
                new Hold(
                    key.owner(),
                    key.name(),
                    entry.timestamp(),
                    TimeUnit.NANOSECONDS.toMillis(entry.expiryNanos() - now) + 1)));
    return holds;
  }

  /** Returns the oldest snapshot held; the safe point must not rise above it. */
  public OptionalLong smallestHeld() {
    if (entries.isEmpty()) {
      return OptionalLong.empty(); // called with each tick
    }
    expire();
    return entries.values().stream().mapToLong(Entry::timestamp).min();
  }

  /** Returns the maximum lifetime of a hold unless it is renewed. */
  public Duration longestLifetime() {
    return longestLifetime;
  }

  /** Returns the hold on the oldest snapshot. */
  public Optional<Hold> oldest() {
    return list().stream().min(Comparator.comparingLong(Hold::timestamp));
  }

  /** Returns how long the safe point must not rise, because there may be unknown holds. */
  public Duration pause() {
    return Duration.ofNanos(Math.max(0, completeFromNanos - clock.monotonicNanos()));
  }

  /** Declares that there may be unknown holds for this time from now on. */
  public void pauseFor(Duration pause) {
    completeFromNanos = clock.monotonicNanos() + pause.toNanos();
  }

  /** Takes over a hold; it lasts slightly longer than it would have, never shorter. */
  public void restore(Hold hold) {
    long millis = Math.min(hold.remainingMillis(), longestLifetime.toMillis());
    entries.put(
        new Key(hold.owner(), hold.name()),
        new Entry(
            hold.timestamp(), clock.monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(millis)));
  }

  private void expire() {
    long now = clock.monotonicNanos();
    entries.values().removeIf(entry -> now - entry.expiryNanos() >= 0);
  }

  private void requireRoom(String owner, int limit) {
    int slash = owner.indexOf(Hold.OF_PRINCIPAL);
    int limitOfOwner = slash < 0 ? MAX_HOLDS_PER_OWNER : MAX_HOLDS_PER_PRINCIPAL;
    String principal = owner.substring(0, slash + 1);
    long own =
        entries.keySet().stream()
            .filter(
                key -> slash < 0 ? key.owner().equals(owner) : key.owner().startsWith(principal))
            .count();
    if (entries.size() >= limit || own >= limitOfOwner) {
      throw new IllegalStateException(
          "too many holds: release some or wait until they expire, holds="
              + entries.size()
              + " limit="
              + limit
              + " ofOwner="
              + own
              + " limitOfOwner="
              + limitOfOwner);
    }
  }

  private long expiry(Duration lifetime) {
    if (lifetime.isNegative() || lifetime.isZero() || lifetime.compareTo(longestLifetime) > 0) {
      throw new IllegalArgumentException(
          "lifetime out of range, lifetime=" + lifetime + " limit=" + longestLifetime);
    }
    return clock.monotonicNanos() + lifetime.toNanos();
  }

  private static Key key(String owner, String name) {
    if (!owner.matches(Hold.OWNER) || !name.matches(Hold.TEXT)) {
      throw new IllegalArgumentException(
          "owner and name are 1 to "
              + Hold.MAX_TEXT_LENGTH
              + " letters, digits and . _ : @ -, owner="
              + owner
              + " name="
              + name);
    }
    return new Key(owner, name);
  }
}
