package io.lampone.simulation.hbase;

import io.lampone.protocol.Bytes;
import io.lampone.simulation.invariant.InvariantChecker;
import io.lampone.simulation.world.FaultHistory;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.SimulatedMachine;
import io.lampone.simulation.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * HBase's master: assigns regions to servers. When a server's session has expired it fences off the
 * logs of its regions and opens them elsewhere; it moves, splits and merges regions on request.
 */
public final class Master {

  private static final Duration WATCH = Duration.ofMillis(40);
  private static final Duration RECOVERY = Duration.ofMillis(30);
  private static final Duration DISCOVERY = Duration.ofMillis(400);

  /** Long enough before it is looked for to have a tick. */
  private static final Duration BACK = Duration.ofMillis(30);

  private static final Duration REBIRTH = Duration.ofMillis(300);

  private final World world;
  private final SimulatedMachine machine;
  private final List<RegionServer> servers;
  private final FaultHistory faults;

  /** Of all regions that there are, by number. A number is never used again. */
  private final NavigableMap<Integer, RegionLog> logs = new TreeMap<>();

  /** Location of each region; nowhere while it is on its way. */
  private final Map<Integer, Optional<RegionServer>> assigned = new TreeMap<>();

  private Layout layout = new Layout(new TreeMap<>());
  private int numbers;
  private final List<RegionServer.ZooKeeperSession> buried = new ArrayList<>();

  public Master(
      World world,
      List<RegionServer> servers,
      InvariantChecker invariantChecker,
      FaultHistory faults) {
    this.world = world;
    this.faults = faults;
    this.machine = new SimulatedMachine(world, "hm");
    this.servers = servers;
    for (Span span : Schema.spans()) {
      RegionLog log = new RegionLog(numbers, span, invariantChecker);
      logs.put(numbers, log);
      RegionServer server = servers.get(numbers % servers.size());
      assigned.put(numbers++, Optional.of(server));
      server.open(log, log.fence());
    }
    changed();
    watch();
  }

  private void changed() {
    NavigableMap<Bytes, Integer> starts = new TreeMap<>();
    logs.forEach((region, log) -> starts.put(log.span().from(), region));
    layout = new Layout(starts);
  }

  /** Returns the present regions. */
  Layout layout() {
    return layout;
  }

  /** Returns the durable state of each present region. */
  public Collection<RegionLog> logs() {
    return logs.values();
  }

  /** One of the regions that there are. */
  public int anyRegion() {
    return world.chance().pick(List.copyOf(logs.keySet()));
  }

  public List<RegionServer> servers() {
    return servers;
  }

  /** Returns the believed location of a region; empty if the region is gone or on its way. */
  Optional<RegionServer> locate(int region) {
    return assigned.getOrDefault(region, Optional.empty());
  }

  /** Moves a region away, and back to where it was before {@code backNanos} have passed. */
  void swing(int region, long awayNanos, long backNanos) {
    Optional<RegionServer> from = locate(region);
    machine.after(awayNanos, () -> move(region));
    machine.after(
        backNanos - BACK.toNanos() - world.chance().nanosUpTo(BACK),
        () -> move(region, from.filter(s -> s.isUp() && locate(region).orElse(s) != s)));
  }

  /** Moves a region in an orderly way, unless it is on its way already. */
  public void move(int region) {
    move(region, anyOther(locate(region)));
  }

  private void move(int region, Optional<RegionServer> to) {
    if (to.isPresent() && isOpen(region)) {
      faults.done(FaultHistory.MOVE, name(region) + " to " + to.get().name());
      close(region, () -> machine.after(soon(), () -> open(region, to)));
    }
  }

  /** Splits a region in an orderly way, if it has two rows and is not on its way. */
  public void split(int region) {
    if (!isOpen(region)) {
      return;
    }
    RegionLog parent = log(region);
    List<Bytes> cuts = Schema.cuts(parent.span());
    if (cuts.isEmpty()) {
      return;
    }
    Bytes cut = world.chance().pick(cuts);
    faults.done(FaultHistory.SPLIT, name(region));
    close(
        region,
        () -> {
          forget(parent);
          RegionLog low =
              RegionLog.daughter(numbers++, new Span(parent.span().from(), cut), parent);
          RegionLog high = RegionLog.daughter(numbers++, new Span(cut, parent.span().to()), parent);
          machine.say("SPLIT region=" + region + " low=" + low.region() + " high=" + high.region());
          appear(List.of(low, high));
        });
  }

  /** Merges a region with the one behind it, in an orderly way, if neither is on its way. */
  public void merge(int region) {
    Bytes end = log(region).span().to();
    Integer next = end.isEmpty() ? null : layout.starts().get(end);
    if (next == null || !isSameTable(region, next) || !isOpen(region) || !isOpen(next)) {
      return;
    }
    RegionLog low = log(region);
    RegionLog high = log(next);
    faults.done(FaultHistory.MERGE, name(region) + " and " + name(next));
    int[] open = {2};
    Runnable closed =
        () -> {
          if (--open[0] == 0) {
            forget(low);
            forget(high);
            RegionLog made = RegionLog.merged(numbers++, low, high);
            machine.say("MERGED low=" + region + " high=" + next + " region=" + made.region());
            appear(List.of(made));
          }
        };
    close(region, closed);
    close(next, closed);
  }

  private boolean isSameTable(int region, int other) {
    return Schema.table(log(region).span().from()).equals(Schema.table(log(other).span().from()));
  }

  private static String name(int region) {
    return "region" + region;
  }

  private RegionLog log(int region) {
    return Objects.requireNonNull(logs.get(region));
  }

  private boolean isOpen(int region) {
    return locate(region).filter(RegionServer::isUp).isPresent();
  }

  /** Ends a region: its server can append no more. */
  private void forget(RegionLog ended) {
    ended.fence();
    logs.remove(ended.region());
    assigned.remove(ended.region());
  }

  private void appear(List<RegionLog> made) {
    for (RegionLog log : made) {
      logs.put(log.region(), log);
      assigned.put(log.region(), Optional.empty());
      machine.after(soon(), () -> open(log.region(), Optional.empty()));
    }
    changed();
  }

  private long soon() {
    return world.chance().nanosUpTo(RECOVERY);
  }

  /**
   * Takes a region from its server; runs {@code then} once, when nothing is under way there any
   * more or the server has died: a server that dies during the close sends no reply.
   */
  private void close(int region, Runnable then) {
    RegionServer old = locate(region).orElseThrow();
    assigned.put(region, Optional.empty());
    RegionServer.ZooKeeperSession session = old.session();
    boolean[] closed = new boolean[1];
    Runnable once =
        () -> {
          if (!closed[0]) {
            closed[0] = true;
            then.run();
          }
        };
    old.after(0, () -> old.close(region, () -> machine.after(0, once)));
    awaitClose(session, closed, once);
  }

  private void awaitClose(RegionServer.ZooKeeperSession session, boolean[] closed, Runnable once) {
    machine.after(
        WATCH,
        () -> {
          if (session.isExpired()) {
            once.run();
          } else if (!closed[0]) {
            awaitClose(session, closed, once);
          }
        });
  }

  private void watch() {
    for (RegionServer server : servers) {
      if (server.session().isExpired() && !buried.contains(server.session())) {
        buried.add(server.session());
        bury(server);
      }
    }
    machine.after(WATCH, this::watch);
  }

  private void bury(RegionServer server) {
    server.say("SESSION EXPIRED");
    if (server.isUp()) {
      // The server detects the expiry some time after it resumes: until then it is a zombie.
      server.after(
          world.chance().nanosUpTo(DISCOVERY),
          () -> {
            server.crash();
            rebirth(server);
          });
    } else {
      rebirth(server);
    }
    awaitRebirth(server, server.session());
    for (int region : logs.keySet()) {
      if (locate(region).filter(s -> s == server).isPresent()) {
        assigned.put(region, Optional.empty());
        machine.after(soon(), () -> open(region, Optional.empty()));
      }
    }
  }

  private void rebirth(RegionServer server) {
    RegionServer.ZooKeeperSession old = server.session();
    machine.after(
        world.chance().nanosUpTo(REBIRTH),
        () -> {
          if (server.session() == old && !server.isUp()) {
            server.boot();
          }
        });
  }

  /** Restarts a server that aborts by itself before it detects the expiry of its session. */
  private void awaitRebirth(RegionServer server, RegionServer.ZooKeeperSession old) {
    machine.after(
        WATCH,
        () -> {
          if (server.session() != old) {
            return;
          }
          if (!server.isUp()) {
            rebirth(server);
          }
          awaitRebirth(server, old);
        });
  }

  /** Opens a region, there if that is possible. */
  private void open(int region, Optional<RegionServer> there) {
    Optional<RegionServer> to = there.filter(Master::isLive).or(() -> anyOther(Optional.empty()));
    if (to.isEmpty()) {
      machine.after(WATCH, () -> open(region, there));
      return;
    }
    RegionServer server = to.get();
    RegionLog log = log(region);
    long opening = log.fence();
    assigned.put(region, to);
    server.after(0, () -> server.open(log, opening));
  }

  private static boolean isLive(RegionServer server) {
    return server.isUp() && !server.session().isExpired();
  }

  private Optional<RegionServer> anyOther(Optional<RegionServer> than) {
    List<RegionServer> live =
        servers.stream().filter(s -> isLive(s) && than.filter(t -> t == s).isEmpty()).toList();
    return live.isEmpty() ? Optional.empty() : Optional.of(world.chance().pick(live));
  }
}
