package io.lampone.benchmarks.omid;

import io.lampone.benchmarks.Transactions;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.omid.tso.client.AbortException;
import org.apache.omid.tso.client.CellId;
import org.apache.omid.tso.client.OmidClientConfiguration;
import org.apache.omid.tso.client.TSOClient;
import org.apache.omid.tso.client.TSOFuture;
import org.apache.omid.tso.util.DummyCellIdImpl;

/** Omid's own client, with its defaults: conflicts by cell, the hash of each cell is sent. */
final class OmidTransactions implements Transactions {

  private final TSOClient client;

  private OmidTransactions(TSOClient client) {
    this.client = client;
  }

  /** A client of the timestamp oracle on a port of this machine. */
  static OmidTransactions connect(int port) throws IOException {
    OmidClientConfiguration config = new OmidClientConfiguration();
    config.setConnectionType(OmidClientConfiguration.ConnType.DIRECT);
    config.setConnectionString("127.0.0.1:" + port);
    return new OmidTransactions(TSOClient.newInstance(config));
  }

  @Override
  public CompletableFuture<Long> begin() {
    TSOFuture<Long> asked = client.getNewStartTimestamp();
    CompletableFuture<Long> begun = new CompletableFuture<>();
    asked.addListener(
        () -> {
          try {
            begun.complete(asked.get());
          } catch (ExecutionException e) {
            begun.completeExceptionally(e.getCause());
          } catch (InterruptedException e) {
            begun.completeExceptionally(e);
            Thread.currentThread().interrupt();
          }
        },
        Runnable::run);
    return begun;
  }

  @Override
  public CompletableFuture<Boolean> commit(long startTimestamp, long[] cells) {
    Set<CellId> ids = new HashSet<>();
    for (long cell : cells) {
      ids.add(new DummyCellIdImpl(cell));
    }
    TSOFuture<Long> asked = client.commit(startTimestamp, ids);
    CompletableFuture<Boolean> decided = new CompletableFuture<>();
    asked.addListener(
        () -> {
          try {
            asked.get();
            decided.complete(true);
          } catch (ExecutionException e) {
            if (e.getCause() instanceof AbortException) {
              decided.complete(false);
            } else {
              decided.completeExceptionally(e.getCause());
            }
          } catch (InterruptedException e) {
            decided.completeExceptionally(e);
            Thread.currentThread().interrupt();
          }
        },
        Runnable::run);
    return decided;
  }

  @Override
  public void close() throws Exception {
    client.close().get();
  }
}
