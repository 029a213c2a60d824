package io.lampone.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * HBase's master: which server has which region. When a server's session has expired it fences off
 * the logs of its regions and opens them elsewhere; it moves regions when told to.
 */
final class Master {

  private static final Duration WATCH = Duration.ofMillis(40);
  private static final Duration RECOVERY = Duration.ofMillis(30);
  private static final Duration DISCOVERY = Duration.ofMillis(400);
  /** Long enough before it is looked for to have a tick. */
  private static final Duration BACK = Duration.ofMillis(30);

  private static final Duration REBIRTH = Duration.ofMillis(300);

  private final World world;
  private final Machine machine;
  private final List<RegionServer> servers;
  private final List<RegionLog> logs;
  private final List<Optional<RegionServer>> assigned = new ArrayList<>();
  private final List<RegionServer.ZooKeeperSession> buried = new ArrayList<>();

  Master(World world, List<RegionServer> servers, List<RegionLog> logs) {
    this.world = world;
    this.machine = new Machine(world, "hm");
    this.servers = servers;
    this.logs = logs;
    for (int i = 0; i < logs.size(); i++) {
      RegionServer server = servers.get(i % servers.size());
      assigned.add(Optional.of(server));
      server.open(logs.get(i), logs.get(i).fence());
    }
    watch();
  }

  List<RegionServer> servers() {
    return servers;
  }

  /** Where a region is believed to be. */
  Optional<RegionServer> locate(int region) {
    return assigned.get(region);
  }

  /** Moves a region away, and back to where it was before {@code backNanos} have passed. */
  void swing(int region, long awayNanos, long backNanos) {
    Optional<RegionServer> from = assigned.get(region);
    machine.after(awayNanos, () -> move(region));
    machine.after(
        backNanos - BACK.toNanos() - world.chance().nanosUpTo(BACK),
        () -> move(region, from.filter(s -> s.isUp() && assigned.get(region).orElse(s) != s)));
  }

  /** Moves a region in an orderly way, unless it is on its way already. */
  void move(int region) {
    move(region, anyOther(assigned.get(region)));
  }

  private void move(int region, Optional<RegionServer> to) {
    Optional<RegionServer> from = assigned.get(region);
    if (from.isEmpty() || to.isEmpty() || !from.get().isUp()) {
      return;
    }
    assigned.set(region, Optional.empty());
    RegionServer old = from.get();
    RegionServer.ZooKeeperSession session = old.session();
    boolean[] closed = new boolean[1];
    old.after(
        0,
        () ->
            old.close(
                region,
                () -> {
                  if (!closed[0]) {
                    closed[0] = true;
                    machine.after(world.chance().nanosUpTo(RECOVERY), () -> open(region, to));
                  }
                }));
    awaitClose(region, session, closed);
  }

  /** A server that dies while it closes a region never says so. */
  private void awaitClose(int region, RegionServer.ZooKeeperSession session, boolean[] closed) {
    machine.after(
        WATCH,
        () -> {
          if (closed[0]) {
            return;
          }
          if (session.isExpired()) {
            closed[0] = true;
            open(region, Optional.empty());
          } else {
            awaitClose(region, session, closed);
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
      // It finds out some time after it runs again: until then it is a zombie.
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
    for (int region = 0; region < assigned.size(); region++) {
      if (assigned.get(region).filter(s -> s == server).isPresent()) {
        assigned.set(region, Optional.empty());
        int lost = region;
        machine.after(world.chance().nanosUpTo(RECOVERY), () -> open(lost, Optional.empty()));
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

  /** One that aborts by itself before it finds out comes back, too. */
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
    Optional<RegionServer> to =
        there.filter(Master::isLive).or(() -> anyOther(Optional.empty()));
    if (to.isEmpty()) {
      machine.after(WATCH, () -> open(region, there));
      return;
    }
    RegionServer server = to.get();
    long opening = logs.get(region).fence();
    assigned.set(region, to);
    server.after(0, () -> server.open(logs.get(region), opening));
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
