package io.lampone.tm.admission;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Prevents one client from evicting table entries that other clients need.
 *
 * <p>Conflict table and decision memory evict their oldest entries, and older transactions are
 * refused. While more entries arrive within {@code age} than one of the tables holds, the principal
 * that has added most, within the tenant that has added most, is refused. A principal is not
 * refused while no other one validates, because it only shortens the time of its own transactions.
 *
 * <p>Entries are counted as fractions of the table that they fill faster. Event loop only.
 */
public final class TableTurnover {

  /** Number of intervals of the age; an interval is dropped as a whole. */
  private static final int INTERVALS = 10;

  private final double conflictCapacity;
  private final double decisionCapacity;
  private final long intervalNanos;

  private long interval;
  private final Usage all = new Usage();
  private final Map<String, Tenancy> tenants = new HashMap<>();

  /** Fractions of the tables added in the last intervals. */
  private static final class Usage {

    private final double[] added = new double[INTERVALS];
    private double sum;

    void add(long interval, double fraction) {
      added[Math.floorMod(interval, INTERVALS)] += fraction;
      sum += fraction;
    }

    /** Drops older intervals; returns true if nothing is left. */
    boolean advance(long from, long to) {
      for (long i = Math.max(from + 1, to - INTERVALS + 1); i <= to; i++) {
        added[Math.floorMod(i, INTERVALS)] = 0;
      }
      sum = 0;
      for (double one : added) {
        sum += one;
      }
      return sum == 0;
    }
  }

  private static final class Tenancy {

    private final Usage all = new Usage();
    private final Map<String, Usage> principals = new HashMap<>();
  }

  /**
   * @param conflictCapacity capacity of the conflict table
   * @param decisionCapacity capacity of the decision memory
   * @param age how long entries are to be kept; zero for no limit
   */
  public TableTurnover(int conflictCapacity, int decisionCapacity, Duration age) {
    this.conflictCapacity = conflictCapacity;
    this.decisionCapacity = decisionCapacity;
    this.intervalNanos = age.toNanos() / INTERVALS;
  }

  /**
   * Returns 0 if a frame may add its entries, else the pause before a retry in milliseconds.
   *
   * @param validations maximum decisions that the frame adds
   * @param hashes maximum hashes that it records
   */
  public int admit(String tenant, String principal, int validations, long hashes, long nowNanos) {
    if (validations == 0 || intervalNanos == 0) {
      return 0;
    }
    advance(Math.floorDiv(nowNanos, intervalNanos));
    double fraction = Math.max(hashes / conflictCapacity, validations / decisionCapacity);
    Tenancy tenancy = tenants.computeIfAbsent(tenant, name -> new Tenancy());
    Usage usage = tenancy.principals.computeIfAbsent(principal, name -> new Usage());
    if (all.sum + fraction > 1 && isLargestOfSeveral(tenancy, usage)) {
      return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(intervalNanos));
    }
    usage.add(interval, fraction);
    tenancy.all.add(interval, fraction);
    all.add(interval, fraction);
    return 0;
  }

  private void advance(long now) {
    if (now == interval) {
      return;
    }
    for (Tenancy tenancy : tenants.values()) {
      tenancy.all.advance(interval, now);
      tenancy.principals.values().removeIf(usage -> usage.advance(interval, now));
    }
    tenants.values().removeIf(tenancy -> tenancy.principals.isEmpty());
    all.advance(interval, now);
    interval = now;
  }

  private boolean isLargestOfSeveral(Tenancy tenancy, Usage usage) {
    return usage.sum > 0
        && usage.sum < all.sum
        && tenants.values().stream().allMatch(other -> other.all.sum <= tenancy.all.sum)
        && tenancy.principals.values().stream().allMatch(other -> other.sum <= usage.sum);
  }
}
