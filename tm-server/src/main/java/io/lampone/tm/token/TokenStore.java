package io.lampone.tm.token;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A set of names shared by all transaction managers of a cluster. Futures complete on any thread,
 * and fail with an {@code IOException} if the store cannot be reached.
 */
public interface TokenStore {

  /** Returns all names, unordered. */
  CompletableFuture<List<String>> list();

  /** Adds a name unless present. */
  CompletableFuture<Void> add(String name);

  /** Removes a name if present. */
  CompletableFuture<Void> remove(String name);
}
