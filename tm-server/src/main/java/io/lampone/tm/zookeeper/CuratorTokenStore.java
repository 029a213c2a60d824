package io.lampone.tm.zookeeper;

import io.lampone.protocol.trust.DelegationToken;
import io.lampone.tm.token.TokenStore;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException.Code;

/** Names as empty persistent znodes. */
public final class CuratorTokenStore implements TokenStore {

  private final CuratorFramework curator;
  private final String path;

  /** Stores the names below the child {@link DelegationToken#ZNODE} of {@code parent}. */
  public CuratorTokenStore(CuratorFramework curator, String parent) {
    this.curator = curator;
    this.path = parent + "/" + DelegationToken.ZNODE;
  }

  @Override
  public CompletableFuture<List<String>> list() {
    return run(
        callback -> curator.getChildren().inBackground(callback).forPath(path),
        Set.of(Code.OK, Code.NONODE),
        event -> event.getChildren() == null ? List.of() : event.getChildren());
  }

  @Override
  public CompletableFuture<Void> add(String name) {
    return run(
        callback ->
            curator
                .create()
                .creatingParentsIfNeeded()
                .inBackground(callback)
                .forPath(path + "/" + name, new byte[0]),
        Set.of(Code.OK, Code.NODEEXISTS),
        CuratorTokenStore::nothing);
  }

  @Override
  public CompletableFuture<Void> remove(String name) {
    return run(
        callback -> curator.delete().inBackground(callback).forPath(path + "/" + name),
        Set.of(Code.OK, Code.NONODE),
        CuratorTokenStore::nothing);
  }

  @SuppressWarnings("NullAway") // future without a value
  private static Void nothing(CuratorEvent event) {
    return null;
  }

  private <T> CompletableFuture<T> run(
      CuratorCall.Operation operation, Set<Code> expected, Function<CuratorEvent, T> answer) {
    CompletableFuture<T> result = new CompletableFuture<>();
    CuratorCall.run(
        result,
        path,
        operation,
        event -> {
          if (expected.contains(CuratorCall.code(event))) {
            result.complete(answer.apply(event));
          } else {
            result.completeExceptionally(CuratorCall.failure(event.getType().name(), path, event));
          }
        });
    return result;
  }
}
