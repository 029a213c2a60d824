package io.lampone.cli.shell;

import io.lampone.client.LamponeAdmin;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionClient.TransactionFunction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;

/**
 * Port for the commands' access to a cluster: the part of {@link io.lampone.client.LamponeClient}
 * that they call, with its contracts. It allows tests of parser, shell and bank without a cluster.
 */
public interface Database extends AutoCloseable {

  /** See {@link io.lampone.client.LamponeClient#run(TransactionOptions, TransactionFunction)}. */
  <T> T run(TransactionOptions options, TransactionFunction<T, RuntimeException> work)
      throws IOException;

  /** See {@link io.lampone.client.LamponeClient#begin(TransactionOptions)}. */
  Transaction begin(TransactionOptions options) throws IOException;

  /** See {@link io.lampone.client.LamponeClient#asOf(long, TransactionOptions)}. */
  Transaction asOf(long timestamp, TransactionOptions options) throws IOException;

  /** See {@link io.lampone.client.LamponeClient#status(TransactionId)}. */
  TransactionOutcome status(TransactionId id) throws IOException;

  /** See {@link io.lampone.client.fastpath.FastPath#outcome(FastPathId)}. */
  TransactionOutcome outcome(FastPathId id) throws IOException;

  /** See {@link io.lampone.client.LamponeClient#admin()}. */
  LamponeAdmin admin();

  /** Deletes a plain HBase table and its data. */
  void deleteTable(TableName name) throws IOException;

  /** Disconnects. */
  @Override
  void close() throws IOException;
}
