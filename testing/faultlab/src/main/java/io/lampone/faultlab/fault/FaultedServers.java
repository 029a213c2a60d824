package io.lampone.faultlab.fault;

import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The faults of wall clocks, disks and power. */
final class FaultedServers {

  private static final String MANAGER_PREFIX = "tm";
  private static final String ZOOKEEPER_PREFIX = "zk";

  /** A transaction manager's clock may be wrong by more than a day. */
  private static final int MANAGER_SECONDS = 100_000;

  /** HBase's master rejects region servers whose clock skew is larger. */
  private static final int SERVER_SECONDS = 20;

  /** A tenth faster or slower. */
  private static final long DRIFT_MILLIONTHS = 100_000;

  private static final long SHORTEST_SYNC_MICROS = 50_000;
  private static final long LONGEST_SYNC_MICROS = 1_000_000;
  private static final long LONGEST_WRITE_MICROS = 20_000;
  private static final long MOST_ROOM_BYTES = 2 << 10;

  /** One of so many power cuts meets all ZooKeeper servers. */
  private static final int ONE_OF_CUTS_IS_EVERYWHERE = 3;

  private final Machines machines;
  private final LibcFaults libcFaults;
  private final Clock clock;

  FaultedServers(Machines machines, LibcFaults libcFaults, Clock clock) {
    this.machines = machines;
    this.libcFaults = libcFaults;
    this.clock = clock;
  }

  /** Steps the wall clock, and changes its rate from there: by seconds or by hours, either way. */
  Fault clock(String target, int choice) {
    int most = target.startsWith(MANAGER_PREFIX) ? MANAGER_SECONDS : SERVER_SECONDS;
    int seconds = (choice / 8 % most + 1) * (choice % 2 == 0 ? 1 : -1);
    long drift =
        choice / 2 % 2 == 0 ? 0 : choice / 4 % 2 == 0 ? DRIFT_MILLIONTHS : -DRIFT_MILLIONTHS;
    return Fault.of(
        target + " " + seconds + "s" + (drift == 0 ? "" : drift > 0 ? " fast" : " slow"),
        () ->
            libcFaults.clock(
                target, TimeUnit.SECONDS.toNanos(seconds), drift, clock.monotonicNanos()),
        () -> libcFaults.clockRight(target));
  }

  /** Delays each sync by up to a second, each write a little. */
  Fault slowDisk(String target, int choice) {
    long sync = SHORTEST_SYNC_MICROS + choice % (LONGEST_SYNC_MICROS - SHORTEST_SYNC_MICROS);
    long write = choice % 2 == 0 ? 0 : choice / 2 % LONGEST_WRITE_MICROS;
    AtomicLong before = new AtomicLong();
    return Fault.of(
        target,
        () -> {
          before.set(libcFaults.spoilt(target));
          libcFaults.slowDisk(target, sync, write);
        },
        () -> {
          libcFaults.slowDisk(target, 0, 0);
          requireSpoilt(target, before.get());
        });
  }

  /**
   * Fills the disk. A last write may fit in part; a server that exits because of it is restarted
   * when there is room.
   */
  Fault fullDisk(String target, int choice) {
    AtomicLong before = new AtomicLong();
    return Fault.of(
        target,
        () -> {
          before.set(libcFaults.spoilt(target));
          libcFaults.fullDisk(target, choice % MOST_ROOM_BYTES);
        },
        () -> {
          libcFaults.emptyDisk(target);
          machines.ensureRunning(target);
          requireSpoilt(target, before.get());
        });
  }

  private void requireSpoilt(String target, long before) throws FaultNotAppliedException {
    if (libcFaults.spoilt(target) == before) {
      throw new FaultNotAppliedException("no call of it was refused or delayed");
    }
  }

  /** Of one ZooKeeper server, or of all of them. */
  Fault powerCut(String target, int choice) throws InterruptedException {
    List<String> names = new ArrayList<>();
    if (choice % ONE_OF_CUTS_IS_EVERYWHERE == 0) {
      machines.members().stream()
          .map(member -> member.name())
          .filter(name -> name.startsWith(ZOOKEEPER_PREFIX))
          .forEach(names::add);
    } else {
      names.add(target);
    }
    return Fault.holding(
        names.size() == 1 ? names.get(0) : InjectedFault.ALL + ZOOKEEPER_PREFIX,
        names,
        () -> cutPower(names),
        () -> {
          for (String name : names) {
            machines.ensureRunning(name);
          }
        });
  }

  private void cutPower(List<String> names) throws IOException, InterruptedException {
    for (String name : names) {
      machines.kill(name);
    }
    for (String name : names) {
      libcFaults.cutPower(name, clock.monotonicNanos());
    }
  }
}
