package io.lampone.tm.token;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Names that all transaction managers of a cluster share. Futures complete on any thread, and fail
 * with an {@code IOException} if the store cannot be reached.
 */
public interface TokenStore {

  /** All names, in no order. */
  CompletableFuture<List<String>> list();

  /** Adds a name; it may be there already. */
  CompletableFuture<Void> add(String name);

  /** Removes a name; it may have gone. */
  CompletableFuture<Void> remove(String name);
}
