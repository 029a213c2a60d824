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
 * The snapshots that must remain readable, and for how long (protocol page, section 7). A hold ends
 * on the monotonic clock, so that the holder's death frees it and a step of the wall clock does
 * not.
 *
 * <p>Holds live in the memory of the primary. One that dies takes them with it, so its successor
 * leaves the safe point alone for the longest lifetime of a hold: whoever still wants one has
 * renewed it by then (finding R8).
 */
public final class HoldTable {

  /** The most holds at a time. */
  public static final int MAX_HOLDS = 1024;

  /** As many of them are kept for administrators. */
  static final int RESERVED_HOLDS = 128;

  /** The most holds of one principal. */
  static final int MAX_HOLDS_PER_PRINCIPAL = 64;

  /** The most holds of one owner where clients are not authenticated. */
  static final int MAX_HOLDS_PER_OWNER = 256;

  private final Clock clock;

  /** No hold lasts longer unless it is renewed. */
  private final Duration longestLifetime;

  private final Map<Key, Entry> entries = new LinkedHashMap<>();

  /** Until then there may be holds that this table has never heard of. */
  private long completeFromNanos;

  private record Key(String owner, String name) {}

  private record Entry(long timestamp, long expiryNanos) {}

  public HoldTable(Clock clock, Duration longestLifetime) {
    this.clock = clock;
    this.longestLifetime = longestLifetime;
    this.completeFromNanos = clock.monotonicNanos();
  }

  /**
   * Takes a hold, or renews it if there is one on the same snapshot.
   *
   * @throws IllegalArgumentException if a name or the lifetime is out of range
   * @throws IllegalStateException if the hold is on another snapshot already, or there are too many
   */
  void hold(String owner, String name, long timestamp, Duration lifetime) {
    hold(owner, name, timestamp, lifetime, false);
  }

  /** The same for an administrator, if it is one. */
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
   * Lets a hold last for {@code lifetime} from now on.
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

  /** The snapshot of a hold; empty if there is none. */
  OptionalLong find(String owner, String name) {
    expire();
    Entry entry = entries.get(key(owner, name));
    return entry == null ? OptionalLong.empty() : OptionalLong.of(entry.timestamp());
  }

  /** Ends a hold; whether there was one. */
  boolean release(String owner, String name) {
    expire();
    return entries.remove(key(owner, name)) != null;
  }

  /** All holds, oldest first. */
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

  /** The oldest snapshot that is held; the safe point must not rise above it. */
  OptionalLong smallestHeld() {
    if (entries.isEmpty()) {
      return OptionalLong.empty(); // asked with each tick
    }
    expire();
    return entries.values().stream().mapToLong(Entry::timestamp).min();
  }

  /** No hold lasts longer unless it is renewed. */
  public Duration longestLifetime() {
    return longestLifetime;
  }

  /** The hold on the oldest snapshot. */
  Optional<Hold> oldest() {
    return list().stream().min(Comparator.comparingLong(Hold::timestamp));
  }

  /** The safe point must stay where it is for so long: there may be holds that are not here. */
  public Duration pause() {
    return Duration.ofNanos(Math.max(0, completeFromNanos - clock.monotonicNanos()));
  }

  /** There may be holds that are not here, for so long from now on. */
  public void pauseFor(Duration pause) {
    completeFromNanos = clock.monotonicNanos() + pause.toNanos();
  }

  /** Takes a hold over; it lasts a little longer than it would have, never shorter. */
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
