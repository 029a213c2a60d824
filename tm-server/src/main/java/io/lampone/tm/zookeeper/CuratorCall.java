package io.lampone.tm.zookeeper;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException.Code;

/** Operations of ZooKeeper that Curator executes in the background. */
final class CuratorCall {

  /** Starts an operation. */
  @FunctionalInterface
  interface Operation {
    void start(BackgroundCallback callback) throws Exception;
  }

  /** Handles the result of an operation. */
  @FunctionalInterface
  interface Answer {
    void accept(CuratorEvent event) throws Exception;
  }

  private CuratorCall() {}

  /**
   * Starts an operation; any failure completes {@code result}.
   *
   * @param path for the message
   */
  static void run(CompletableFuture<?> result, String path, Operation operation, Answer answer) {
    BackgroundCallback callback =
        (client, event) -> {
          try {
            answer.accept(event);
          } catch (Exception e) { // Curator declares Exception
            result.completeExceptionally(e);
          }
        };
    try {
      operation.start(callback);
    } catch (Exception e) { // Curator declares Exception
      result.completeExceptionally(new IOException("ZooKeeper refused, path=" + path, e));
    }
  }

  static IOException failure(String operation, String path, CuratorEvent event) {
    return new IOException(
        "ZooKeeper failed, operation=" + operation + " path=" + path + " code=" + code(event));
  }

  static Code code(CuratorEvent event) {
    return Code.get(event.getResultCode());
  }
}
