package io.lampone.tmclient;

import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.tmclient.discovery.AddressSource;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Sends commands to the primary. Connects at the first one: most clients never send any. */
final class PrimaryCommands implements AutoCloseable {

  private final TransactionManagerClientConfig config;
  private final AddressSource source;

  /** Null until the first command. Guarded by this object's monitor, as is {@link #closed}. */
  private @Nullable CommandClient client;

  private boolean closed;

  /**
   * @param source finds the primary; remains the caller's
   */
  PrimaryCommands(TransactionManagerClientConfig config, AddressSource source) {
    this.config = config;
    this.source = source;
  }

  /** Sends a command; fails with {@link TransactionManagerException} without an answer. */
  CompletableFuture<CommandAnswer> send(String command, String argument) {
    CommandClient sender;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(
            new TransactionManagerException(Kind.CLOSED, "client of commands is closed"));
      }
      if (client == null) {
        client = new CommandClient(config);
      }
      sender = client;
    }
    return source
        .find()
        .thenCompose(
            primary ->
                primary
                    .map(found -> sender.ask(found.address(), command, argument))
                    .orElseGet(
                        () ->
                            CompletableFuture.failedFuture(
                                new TransactionManagerException(
                                    Kind.UNAVAILABLE, "there is no primary at the moment"))));
  }

  @Override
  public void close() {
    CommandClient last;
    synchronized (this) {
      closed = true;
      last = client;
      client = null;
    }
    if (last != null) {
      last.close();
    }
  }
}
