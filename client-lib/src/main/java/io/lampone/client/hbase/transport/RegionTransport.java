package io.lampone.client.hbase.transport;

import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.read.ScanPage;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/** Port to region servers. Deadlines are on the monotonic clock. */
public interface RegionTransport extends AutoCloseable {

  /** Attempts of HBase's client within one of ours; every request of ours is idempotent. */
  int ATTEMPTS = 12;

  /** For requests of which a repetition must be marked, or must not continue where one ended. */
  int ONE_ATTEMPT = 1;

  /** Gets one row; repeated until there is a reply or a refusal. */
  Step<Result> get(TableName name, Get get, long deadlineNanos);

  /** Gets several rows of a table; completes with their ends, in order. */
  Step<List<Step.Ended<Result>>> gets(TableName name, List<Get> gets, long deadlineNanos);

  /** Sends the carrier of one request of ours, at most {@code attempts} times. */
  Step<CheckAndMutateResult> send(
      TableName name, CheckAndMutate carrier, long deadlineNanos, int attempts);

  /**
   * Returns the beginning of a scan by the calling thread, or the server's refusal. If empty, the
   * scan must begin another way; this is no repetition.
   *
   * @param untilNanos end of the thread's wait
   */
  Optional<CompletableFuture<ScanPage>> firstPage(
      TableName name, Scan scan, long deadlineNanos, long untilNanos);

  /**
   * Returns a table for batches and scanners, whose requests HBase's client sends at most {@code
   * attempts} times, and which end by the deadline, or a little later if that is now.
   */
  AsyncTable<AdvancedScanResultConsumer> table(TableName name, long deadlineNanos, int attempts);

  @Override
  void close() throws IOException;
}
