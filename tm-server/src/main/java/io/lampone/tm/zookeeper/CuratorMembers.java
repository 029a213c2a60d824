package io.lampone.tm.zookeeper;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.Member;
import io.lampone.tm.core.Members;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Each member as an ephemeral znode. A name is never used by two processes, so that what is found
 * under one's own name is one's own, if perhaps from a session that is about to expire: that one is
 * replaced.
 */
public final class CuratorMembers implements Members {

  private static final Logger LOG = LoggerFactory.getLogger(CuratorMembers.class);

  private final CuratorFramework curator;
  private final String path;

  /** Keeps the members below the child {@link Member#ZNODE} of {@code parent}. */
  public CuratorMembers(CuratorFramework curator, String parent) {
    this.curator = curator;
    this.path = parent + "/" + Member.ZNODE;
  }

  @Override
  public CompletableFuture<Void> join(Member me) {
    CompletableFuture<Void> joined = new CompletableFuture<>();
    create(me, joined);
    return joined;
  }

  @Override
  public CompletableFuture<Void> leave(Member me) {
    CompletableFuture<Void> left = new CompletableFuture<>();
    run(
        left,
        callback -> curator.delete().inBackground(callback).forPath(pathOf(me)),
        event -> {
          switch (code(event)) {
            case OK, NONODE -> left.complete(null);
            default -> left.completeExceptionally(failure("delete", event));
          }
        });
    return left;
  }

  @Override
  public CompletableFuture<List<Member>> list() {
    CompletableFuture<List<Member>> listed = new CompletableFuture<>();
    run(
        listed,
        callback -> curator.getChildren().inBackground(callback).forPath(path),
        event -> {
          switch (code(event)) {
            case OK -> readAll(event.getChildren(), listed);
            case NONODE -> listed.complete(List.of());
            default -> listed.completeExceptionally(failure("getChildren", event));
          }
        });
    return listed;
  }

  private void create(Member me, CompletableFuture<Void> joined) {
    run(
        joined,
        callback ->
            curator
                .create()
                .creatingParentsIfNeeded()
                .withMode(CreateMode.EPHEMERAL)
                .inBackground(callback)
                .forPath(pathOf(me), me.encode()),
        event -> {
          switch (code(event)) {
            case OK -> joined.complete(null);
            case NODEEXISTS -> checkOwner(me, joined);
            default -> joined.completeExceptionally(failure("create", event));
          }
        });
  }

  private void checkOwner(Member me, CompletableFuture<Void> joined) {
    run(
        joined,
        callback -> curator.checkExists().inBackground(callback).forPath(pathOf(me)),
        event -> {
          long session = curator.getZookeeperClient().getZooKeeper().getSessionId();
          if (code(event) == Code.OK && event.getStat().getEphemeralOwner() == session) {
            joined.complete(null);
          } else if (code(event) == Code.OK) {
            leave(me).whenComplete((left, failure) -> create(me, joined));
          } else {
            joined.completeExceptionally(failure("exists", event));
          }
        });
  }

  private void readAll(List<String> names, CompletableFuture<List<Member>> listed) {
    List<CompletableFuture<List<Member>>> reads = new ArrayList<>();
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
              List<Member> members = new ArrayList<>();
              reads.forEach(read -> members.addAll(read.join()));
              members.sort(
                  Comparator.comparingLong(Member::sinceMillis).thenComparing(Member::holder));
              listed.complete(members);
            });
  }

  /** The member of this name, or nothing if it has gone or cannot be understood. */
  private CompletableFuture<List<Member>> read(String name) {
    CompletableFuture<List<Member>> read = new CompletableFuture<>();
    run(
        read,
        callback -> curator.getData().inBackground(callback).forPath(path + "/" + name),
        event -> {
          switch (code(event)) {
            case OK -> read.complete(decode(name, event.getData()));
            case NONODE -> read.complete(List.of());
            default -> read.completeExceptionally(failure("getData", event));
          }
        });
    return read;
  }

  private static List<Member> decode(String name, byte[] data) {
    try {
      return List.of(Member.decode(data));
    } catch (MalformedException e) {
      LOG.warn("member left out that cannot be understood, znode={}", name, e);
      return List.of();
    }
  }

  private String pathOf(Member member) {
    return path + "/" + member.znode();
  }

  /** Starts an operation; whatever goes wrong on the way ends in {@code result}. */
  private void run(CompletableFuture<?> result, Operation operation, Answer answer) {
    BackgroundCallback callback =
        (client, event) -> {
          try {
            answer.accept(event);
          } catch (Exception e) { // Curator declares no less
            result.completeExceptionally(e);
          }
        };
    try {
      operation.start(callback);
    } catch (Exception e) { // Curator declares no less
      result.completeExceptionally(new IOException("ZooKeeper refused, path=" + path, e));
    }
  }

  private IOException failure(String operation, CuratorEvent event) {
    return new IOException(
        "ZooKeeper failed, operation=" + operation + " path=" + path + " code=" + code(event));
  }

  private static Code code(CuratorEvent event) {
    return Code.get(event.getResultCode());
  }

  @FunctionalInterface
  private interface Operation {
    void start(BackgroundCallback callback) throws Exception;
  }

  @FunctionalInterface
  private interface Answer {
    void accept(CuratorEvent event) throws Exception;
  }
}
