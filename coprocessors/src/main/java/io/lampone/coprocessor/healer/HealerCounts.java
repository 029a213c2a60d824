package io.lampone.coprocessor.healer;

import io.lampone.coprocessor.jmx.JmxBean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Counters for {@link HealerMXBean}; written by the healer's thread, read by any. */
final class HealerCounts implements HealerMXBean, AutoCloseable {

  /** Written once, before other threads see this; null if never registered. */
  private @Nullable JmxBean bean;

  private final AtomicLong oldestMillis = new AtomicLong();
  private final AtomicLong left = new AtomicLong();
  private final AtomicLong settled = new AtomicLong();
  private final AtomicLong cells = new AtomicLong();
  private final AtomicLong passes = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final AtomicLong unlisted = new AtomicLong();
  private final AtomicLong undecodable = new AtomicLong();

  private volatile String lastFailure = "";

  /** Creates counters and registers them in JMX. */
  static HealerCounts register(String server) {
    HealerCounts counts = new HealerCounts();
    counts.bean = JmxBean.register(counts, "Healer", server);
    return counts;
  }

  void passEnded(long oldest, PassTally tally) {
    oldestMillis.set(oldest);
    left.set(tally.left());
    unlisted.set(tally.unlisted());
    undecodable.set(tally.undecodable());
    passes.incrementAndGet();
  }

  void settled(int transactions) {
    settled.addAndGet(transactions);
  }

  void read(int count) {
    cells.addAndGet(count);
  }

  void failed(String what) {
    failures.incrementAndGet();
    lastFailure = what;
  }

  @Override
  public long getOldestUnsettledMillis() {
    return oldestMillis.get();
  }

  @Override
  public long getUnsettled() {
    return left.get();
  }

  @Override
  public long getSettled() {
    return settled.get();
  }

  @Override
  public long getCellsRead() {
    return cells.get();
  }

  @Override
  public long getPasses() {
    return passes.get();
  }

  @Override
  public long getFailures() {
    return failures.get();
  }

  @Override
  public long getUnlisted() {
    return unlisted.get();
  }

  @Override
  public long getUndecodable() {
    return undecodable.get();
  }

  @Override
  public String getLastFailure() {
    return lastFailure;
  }

  @Override
  public void close() {
    if (bean != null) {
      bean.close();
    }
  }
}
