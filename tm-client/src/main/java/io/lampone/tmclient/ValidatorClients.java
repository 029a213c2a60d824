package io.lampone.tmclient;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.tmclient.discovery.AddressSource;
import io.lampone.tmclient.discovery.Addresses;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Connections to the validators besides the primary, and the map that names them (ADR 91). There
 * are none before the first vote. Thread-safe.
 */
final class ValidatorClients implements AutoCloseable {

  /** Timeout of a vote; the caller then looks at the map, and votes again or not. */
  private static final Duration VOTE_TIMEOUT = Duration.ofMillis(300);

  private final TransactionManagerClientConfig config;
  private final ClientEnvironment environment;

  // The following are guarded by this object's monitor.
  private final Map<String, TransactionManagerClient> clients = new HashMap<>();
  private @Nullable CompletableFuture<BucketMap> fetching;
  private boolean closed;

  /**
   * @param environment shared with the client of the primary
   */
  ValidatorClients(TransactionManagerClientConfig config, ClientEnvironment environment) {
    this.config = config;
    this.environment = environment;
  }

  /**
   * Returns the map; callers at the same time share one request, sent after the first of them.
   *
   * @param fetch sends the request to the primary
   */
  CompletableFuture<BucketMap> map(Supplier<CompletableFuture<BucketMap>> fetch) {
    CompletableFuture<BucketMap> fetched;
    synchronized (this) {
      if (fetching != null) {
        return fetching.copy();
      }
      fetched = new CompletableFuture<>();
      fetching = fetched;
    }
    fetch
        .get()
        .whenComplete(
            (map, failure) -> {
              synchronized (this) {
                fetching = null;
              }
              if (failure == null) {
                keepOnly(map);
                fetched.complete(map);
              } else {
                fetched.completeExceptionally(failure);
              }
            });
    return fetched.copy();
  }

  /** Returns the client of a validator; connects at the first request. */
  synchronized TransactionManagerClient at(BucketMap.Node validator) {
    if (closed) {
      throw new TransactionManagerException(
          Kind.CLOSED, "client of the transaction manager is closed");
    }
    return clients.computeIfAbsent(validator.address(), this::connect);
  }

  private TransactionManagerClient connect(String address) {
    InetSocketAddress parsed =
        Addresses.parse(address)
            .orElseThrow(
                () ->
                    new TransactionManagerException(
                        Kind.UNAVAILABLE, "no address of a validator, address=" + address));
    TransactionManagerClientConfig settings =
        new TransactionManagerClientConfig(
            VOTE_TIMEOUT,
            config.connectTimeout(),
            VOTE_TIMEOUT,
            config.maxOutstanding(),
            config.maxBatchesInFlight(),
            VOTE_TIMEOUT,
            config.security());
    return TransactionManagerClient.create(settings, AddressSource.fixed(parsed), environment);
  }

  /** Closes connections to processes that the map does not name any more. */
  private void keepOnly(BucketMap map) {
    Set<String> named = new HashSet<>();
    map.validators().forEach(each -> named.add(each.address()));
    Map<String, TransactionManagerClient> dropped;
    synchronized (this) {
      dropped = new HashMap<>(clients);
      dropped.keySet().removeAll(named);
      clients.keySet().retainAll(named);
    }
    dropped.values().forEach(TransactionManagerClient::close);
  }

  @Override
  public void close() {
    Map<String, TransactionManagerClient> dropped;
    synchronized (this) {
      closed = true;
      dropped = new HashMap<>(clients);
      clients.clear();
    }
    dropped.values().forEach(TransactionManagerClient::close);
  }
}
