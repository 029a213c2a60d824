package io.lampone.tm.core;

import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.tm.core.validation.BatchOutcome;
import java.util.concurrent.CompletableFuture;

/** Current role of a node; {@link ManagerNode} lists the transitions. */
sealed interface Role permits Backup, Primary, Retired {

  /** Time has passed. */
  void tick();

  /** Requests have come; the answers go to {@code replies}. */
  BatchOutcome handle(RequestCursor requests, ReplyWriter replies);

  /** The answer to what only a primary can do. */
  static <T> CompletableFuture<T> notPrimary() {
    return CompletableFuture.failedFuture(new IllegalStateException("not the primary"));
  }
}
