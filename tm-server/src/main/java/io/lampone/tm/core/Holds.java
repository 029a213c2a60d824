package io.lampone.tm.core;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.Hold;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * The holds of a node, for other components. Each operation runs on the primary, and its result is
 * returned only if the lease was still held afterwards. A hold unknown to a later primary was
 * therefore granted before that one began, and that one keeps the safe point unchanged for long
 * enough.
 *
 * <p>Every method throws {@link IllegalStateException} on a node that is not the primary.
 */
public final class Holds {

  /** Highest age of a snapshot at which a hold may be taken or renewed. */
  static final Duration LONGEST = Duration.ofHours(24);

  static final Duration LONGEST_OF_ADMINISTRATORS = Duration.ofDays(30);

  private final ManagerNode node;

  Holds(ManagerNode node) {
    this.node = node;
  }

  /**
   * Takes a hold, or renews the one on the same snapshot.
   *
   * @throws IllegalArgumentException if a name or the lifetime is out of range, or the snapshot is
   *     in the future
   * @throws IllegalStateException if the snapshot is below the safe point, the name is taken, or
   *     there are too many holds
   */
  public void hold(String owner, String name, long timestamp, Duration lifetime) {
    hold(owner, name, timestamp, lifetime, false);
  }

  /**
   * Takes a hold; for administrators, some capacity is reserved and the limit of the snapshot's age
   * is higher.
   */
  public void hold(
      String owner, String name, long timestamp, Duration lifetime, boolean administrator) {
    node.asPrimary(
        primary -> {
          if (timestamp > primary.core().lastTimestamp() || !Timestamps.isGlobal(timestamp)) {
            // The safe point may have to stay exactly there, so only a snapshot is acceptable.
            throw new IllegalArgumentException(
                "not a snapshot, or one that has not been yet, timestamp=" + timestamp);
          }
          if (timestamp < primary.core().safePoint()) {
            throw new IllegalStateException(
                Hold.BELOW_SAFE_POINT
                    + " and may be gone: choose a newer one, timestamp="
                    + timestamp
                    + " safePoint="
                    + primary.core().safePoint());
          }
          requireAge(primary, timestamp, administrator);
          primary.holds().hold(owner, name, timestamp, lifetime, administrator);
          return timestamp;
        });
  }

  /**
   * Extends a hold to {@code lifetime} from now.
   *
   * @throws IllegalStateException if there is none, or its snapshot is too old
   */
  public void renew(String owner, String name, Duration lifetime, boolean administrator) {
    node.asPrimary(
        primary -> {
          primary.holds().find(owner, name).ifPresent(at -> requireAge(primary, at, administrator));
          primary.holds().renew(owner, name, lifetime);
          return true;
        });
  }

  /** Fails if a snapshot is too old to be held. Within the retention a hold costs nothing. */
  private void requireAge(Primary primary, long timestamp, boolean administrator) {
    Duration limit = administrator ? LONGEST_OF_ADMINISTRATORS : LONGEST;
    Duration retention = node.retention().snapshots();
    Duration longest = limit.compareTo(retention) > 0 ? limit : retention;
    Duration age = Duration.ofNanos(primary.core().lastTimestamp() - timestamp);
    if (age.compareTo(longest) > 0) {
      throw new IllegalStateException(
          "the snapshot is too old to be held any longer: read from a newer one, timestamp="
              + timestamp
              + " age="
              + age
              + " limit="
              + longest);
    }
  }

  /** Ends a hold; returns true if it existed. */
  public boolean release(String owner, String name) {
    return onTable(table -> table.release(owner, name));
  }

  /** Returns all holds, oldest first. */
  public List<Hold> list() {
    return onTable(HoldTable::list);
  }

  /**
   * Returns how long an automatic advance of the safe point must wait, because there may be holds
   * that this primary does not know [R8].
   */
  public Duration safePointPause() {
    return onTable(HoldTable::pause);
  }

  <T> T onTable(Function<HoldTable, T> action) {
    return node.asPrimary(primary -> action.apply(primary.holds()));
  }
}
