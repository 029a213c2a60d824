package io.lampone.tm.zookeeper;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.Member;
import io.lampone.tm.core.ClockJudgment;
import io.lampone.tm.core.Members;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.CreateMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Members as ephemeral znodes. No two processes share a name, so a znode under this process's name
 * is its own, though perhaps from a session about to expire; that one is replaced.
 */
public final class CuratorMembers implements Members {

  private static final Logger LOG = LoggerFactory.getLogger(CuratorMembers.class);

  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final CuratorFramework curator;
  private final String path;

  /** Result of the last read for {@link #recent}, and its time. */
  private CompletableFuture<List<Member>> recent = CompletableFuture.completedFuture(List.of());

  private long recentNanos = SystemClock.INSTANCE.monotonicNanos() - RECENT_NANOS;

  /** Registers the members below the child {@code znode} of {@code parent}. */
  public CuratorMembers(CuratorFramework curator, String parent, String znode) {
    this.curator = curator;
    this.path = parent + "/" + znode;
  }

  @Override
  public CompletableFuture<OptionalLong> join(Member me) {
    CompletableFuture<OptionalLong> joined = new CompletableFuture<>();
    write(me, joined);
    return joined;
  }

  @Override
  public CompletableFuture<Void> leave(Member me) {
    CompletableFuture<Void> left = new CompletableFuture<>();
    CuratorCall.run(
        left,
        path,
        callback -> curator.delete().inBackground(callback).forPath(pathOf(me)),
        event -> {
          switch (CuratorCall.code(event)) {
            case OK, NONODE -> left.complete(null);
            default -> left.completeExceptionally(CuratorCall.failure("delete", path, event));
          }
        });
    return left;
  }

  @Override
  public CompletableFuture<List<Member>> list() {
    return sightings()
        .thenApply(
            found ->
                found.stream()
                    .map(Sighting::member)
                    .sorted(
                        Comparator.comparingLong(Member::sinceMillis).thenComparing(Member::holder))
                    .toList());
  }

  @Override
  public synchronized CompletableFuture<List<Member>> recent() {
    long now = SystemClock.INSTANCE.monotonicNanos();
    if (now - recentNanos >= RECENT_NANOS) {
      recent = list();
      recentNanos = now;
    }
    return recent;
  }

  @Override
  public CompletableFuture<List<Long>> clocksOfOthers(Member me) {
    return sightings()
        .thenApply(
            found ->
                found.stream()
                    .filter(seen -> !seen.member().holder().equals(me.holder()))
                    .filter(seen -> seen.member().wallMillis() != 0)
                    .map(seen -> seen.member().wallMillis() - seen.writtenMillis())
                    .limit(ClockJudgment.MAX_WITNESSES)
                    .toList());
  }

  /** A member with the time of its write by the clock of ZooKeeper's leader. */
  private record Sighting(Member member, long writtenMillis) {}

  private CompletableFuture<List<Sighting>> sightings() {
    CompletableFuture<List<Sighting>> listed = new CompletableFuture<>();
    CuratorCall.run(
        listed,
        path,
        callback -> curator.getChildren().inBackground(callback).forPath(path),
        event -> {
          switch (CuratorCall.code(event)) {
            case OK -> readAll(event.getChildren(), listed);
            case NONODE -> listed.complete(List.of());
            default ->
                listed.completeExceptionally(CuratorCall.failure("getChildren", path, event));
          }
        });
    return listed;
  }

  private void create(Member me, CompletableFuture<OptionalLong> joined) {
    CuratorCall.run(
        joined,
        path,
        callback ->
            curator
                .create()
                .creatingParentsIfNeeded()
                .withMode(CreateMode.EPHEMERAL)
                .inBackground(callback)
                .forPath(pathOf(me), me.encode()),
        event -> {
          switch (CuratorCall.code(event)) {
            // Only a write to an existing znode returns its time.
            case OK, NODEEXISTS -> write(me, joined);
            default -> joined.completeExceptionally(CuratorCall.failure("create", path, event));
          }
        });
  }

  private void write(Member me, CompletableFuture<OptionalLong> joined) {
    CuratorCall.run(
        joined,
        path,
        callback -> curator.setData().inBackground(callback).forPath(pathOf(me), me.encode()),
        event -> {
          long session = curator.getZookeeperClient().getZooKeeper().getSessionId();
          switch (CuratorCall.code(event)) {
            case OK -> {
              if (event.getStat().getEphemeralOwner() == session) {
                joined.complete(OptionalLong.of(event.getStat().getMtime()));
              } else {
                leave(me).whenComplete((left, failure) -> create(me, joined));
              }
            }
            case NONODE -> create(me, joined);
            default -> joined.completeExceptionally(CuratorCall.failure("setData", path, event));
          }
        });
  }

  private void readAll(List<String> names, CompletableFuture<List<Sighting>> listed) {
    List<CompletableFuture<List<Sighting>>> reads = new ArrayList<>();
    for (String name : names) {
      reads.add(read(name));
    }
    CompletableFuture.allOf(reads.toArray(new CompletableFuture<?>[0]))
        .whenComplete(
            (all, failure) -> {
              if (failure != null) {
                listed.completeExceptionally(failure);
                return;
              }
              listed.complete(reads.stream().flatMap(read -> read.join().stream()).toList());
            });
  }

  /** Reads the member of this name; empty if it is gone or cannot be decoded. */
  private CompletableFuture<List<Sighting>> read(String name) {
    CompletableFuture<List<Sighting>> read = new CompletableFuture<>();
    CuratorCall.run(
        read,
        path,
        callback -> curator.getData().inBackground(callback).forPath(path + "/" + name),
        event -> {
          switch (CuratorCall.code(event)) {
            case OK -> read.complete(decode(name, event));
            case NONODE -> read.complete(List.of());
            default -> read.completeExceptionally(CuratorCall.failure("getData", path, event));
          }
        });
    return read;
  }

  private static List<Sighting> decode(String name, CuratorEvent event) {
    try {
      return List.of(new Sighting(Member.decode(event.getData()), event.getStat().getMtime()));
    } catch (MalformedException e) {
      LOG.warn("member left out that cannot be understood, znode={}", name, e);
      return List.of();
    }
  }

  private String pathOf(Member member) {
    return path + "/" + member.znode();
  }
}
