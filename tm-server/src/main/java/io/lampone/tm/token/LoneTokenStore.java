package io.lampone.tm.token;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The names of a single transaction manager, in memory. */
public final class LoneTokenStore implements TokenStore {

  private final Set<String> names = ConcurrentHashMap.newKeySet();

  @Override
  public CompletableFuture<List<String>> list() {
    return CompletableFuture.completedFuture(List.copyOf(names));
  }

  @Override
  public CompletableFuture<Void> add(String name) {
    names.add(name);
    return CompletableFuture.allOf();
  }

  @Override
  public CompletableFuture<Void> remove(String name) {
    names.remove(name);
    return CompletableFuture.allOf();
  }
}
