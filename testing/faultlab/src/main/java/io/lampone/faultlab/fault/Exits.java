package io.lampone.faultlab.fault;

import io.lampone.cluster.MemberRole;
import io.lampone.faultlab.event.EventCounts;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Servers that ended by themselves and were started again. Thread-safe. */
public final class Exits {

  /** Begins the name of the event; the prefix of the role follows. */
  private static final String EVENT = "lab.exit.";

  /** After its end a fault may still end servers: sessions expire, and queues are worked off. */
  private static final long AFTERMATH_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Members that a fault ends, until it is healed. */
  private final Set<String> expected = ConcurrentHashMap.newKeySet();

  private final ConcurrentLinkedQueue<Exit> all = new ConcurrentLinkedQueue<>();

  /**
   * End of a server.
   *
   * @param machineStood true if the machine may have stood still for so long that its lease ended
   */
  private record Exit(String member, MemberRole role, long nanos, boolean machineStood) {}

  /** Expects the end of this member, because of a fault. */
  void expect(String member) {
    expected.add(member);
  }

  /** Expects it no more. */
  void expectNoMore(String member) {
    expected.remove(member);
  }

  /** Records that a member was found dead. */
  void found(String member, MemberRole role, long nanos, boolean machineStood) {
    if (!expected.contains(member)) {
      all.add(new Exit(member, role, nanos, machineStood));
    }
  }

  /** Returns the exits since then as events, by role. */
  public EventCounts since(long nanos) {
    EventCounts counts = EventCounts.NONE;
    for (Exit exit : all) {
      if (exit.nanos - nanos >= 0) {
        counts = counts.plus(EVENT + exit.role.prefix(), 1);
      }
    }
    return counts;
  }

  /** Returns the members that have ended since then though none of these faults has ended them. */
  public List<String> unexplained(List<InjectedFault> faults, long nanos) {
    return all.stream()
        .filter(exit -> exit.nanos - nanos >= 0 && !exit.machineStood)
        .filter(exit -> faults.stream().noneMatch(fault -> mayHaveEnded(fault, exit)))
        .map(Exit::member)
        .toList();
  }

  private static boolean mayHaveEnded(InjectedFault fault, Exit exit) {
    return exit.nanos - fault.injectedNanos() >= 0
        && exit.nanos - fault.healedNanos() < AFTERMATH_NANOS
        && fault.met().stream().anyMatch(met -> fault.kind().ends(exit.role, met));
  }
}
