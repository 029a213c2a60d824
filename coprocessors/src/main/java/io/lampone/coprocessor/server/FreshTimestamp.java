package io.lampone.coprocessor.server;

import io.lampone.coprocessor.core.fence.ManagerRecordSource;
import io.lampone.hbase.HadoopTickets;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.ManagerRecord;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;

/** Single timestamp for HBase's master, which needs no more. */
public final class FreshTimestamp {

  private static final int READ_SECONDS = 10;

  private FreshTimestamp() {}

  /**
   * Fetches a timestamp from the transaction manager; blocks.
   *
   * @throws IOException if none answers
   */
  public static long ask(ZKWatcher zooKeeper) throws IOException {
    try (TimestampConnection connection =
        TimestampConnection.open(
            TimestampPrefetcher.address(manager(zooKeeper).address()),
            HadoopTickets.security(zooKeeper.getConfiguration()),
            SystemClock.INSTANCE)) {
      return connection.fetch(1, Optional.empty())[0];
    }
  }

  private static ManagerRecord manager(ZKWatcher zooKeeper) throws IOException {
    CompletableFuture<ManagerRecord> read = new CompletableFuture<>();
    new ZooKeeperRecordSource(zooKeeper)
        .read(
            new ManagerRecordSource.Answer() {
              @Override
              public void record(ManagerRecord record, long writtenMillis) {
                read.complete(record);
              }

              @Override
              public void absent() {
                failed("there is none");
              }

              @Override
              public void failed(String why) {
                read.completeExceptionally(new IOException(why));
              }
            });
    try {
      ManagerRecord record = read.get(READ_SECONDS, TimeUnit.SECONDS);
      if (record.address().isEmpty()) {
        throw new IOException("no transaction manager answers at the moment");
      }
      return record;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted").initCause(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("no transaction manager is known, cause=" + e.getMessage(), e);
    }
  }
}
