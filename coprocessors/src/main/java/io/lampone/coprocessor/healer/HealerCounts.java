package io.lampone.coprocessor.healer;

import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counters for {@link HealerMXBean}; written by the healer's thread, read by any. */
final class HealerCounts implements HealerMXBean, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HealerCounts.class);

  /** Only tests run several servers, or several classes of observers, in one process. */
  private static final int MOST_OF_ONE_NAME = 16;

  private final String server;

  /** Name in JMX; empty if not registered. Written once, before other threads see this. */
  private Optional<ObjectName> name = Optional.empty();

  private final AtomicLong oldestMillis = new AtomicLong();
  private final AtomicLong left = new AtomicLong();
  private final AtomicLong settled = new AtomicLong();
  private final AtomicLong cells = new AtomicLong();
  private final AtomicLong passes = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final AtomicLong unlisted = new AtomicLong();
  private final AtomicLong undecodable = new AtomicLong();

  private volatile String lastFailure = "";

  HealerCounts(String server) {
    this.server = server;
  }

  /** Creates counters and registers them in JMX; a failure of that is only logged. */
  static HealerCounts register(String server) {
    HealerCounts counts = new HealerCounts(server);
    for (int i = 0; i < MOST_OF_ONE_NAME && counts.name.isEmpty(); i++) {
      counts.register(i);
    }
    return counts;
  }

  private void register(int number) {
    try {
      ObjectName wanted =
          new ObjectName(
              "io.lampone:type=Healer,server="
                  + ObjectName.quote(server)
                  + (number == 0 ? "" : ",number=" + number));
      ManagementFactory.getPlatformMBeanServer().registerMBean(this, wanted);
      name = Optional.of(wanted);
    } catch (InstanceAlreadyExistsException e) {
      LOG.debug("There is a healer of this name already, server={}", server, e);
    } catch (JMException e) {
      LOG.warn("The healer does not show in JMX, server={}", server, e);
    }
  }

  void passEnded(long oldest, long unsettled, long tooLarge, long unreadable) {
    oldestMillis.set(oldest);
    left.set(unsettled);
    unlisted.set(tooLarge);
    undecodable.set(unreadable);
    passes.incrementAndGet();
  }

  void settled() {
    settled.incrementAndGet();
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
    if (name.isEmpty()) {
      return;
    }
    try {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name.get());
    } catch (JMException e) {
      LOG.debug("The healer was not shown in JMX, server={}", server, e);
    }
  }
}
