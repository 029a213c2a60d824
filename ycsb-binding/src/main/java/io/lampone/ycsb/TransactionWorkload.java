package io.lampone.ycsb;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.SplittableRandom;
import org.apache.hadoop.hbase.client.Table;
import org.jspecify.annotations.Nullable;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;

/** Workload whose threads share one client. */
abstract class TransactionWorkload extends Workload {

  final Clock clock = SystemClock.INSTANCE;

  private @Nullable LoadedKeys keys;
  private @Nullable Settings settings;
  private @Nullable Properties properties;

  /** Client of all threads; set when the first of them begins, guarded by this. */
  private @Nullable SharedClient shared;

  /** State of one thread. */
  record ThreadState(SharedClient client, SplittableRandom random) {}

  /** Operation on the table. */
  @FunctionalInterface
  interface Work {
    void on(Table table) throws IOException;
  }

  /** Sets what all threads use; called once, by {@code init}. */
  final void initialize(Properties given, Settings read, LoadedKeys loaded) {
    properties = given;
    settings = read;
    keys = loaded;
  }

  /** Called with the shared client before a thread uses it. */
  void connected(SharedClient client) {}

  final ThreadState thread(long seed) throws WorkloadException {
    return new ThreadState(client(), new SplittableRandom(seed));
  }

  final synchronized SharedClient client() throws WorkloadException {
    if (shared == null) {
      if (properties == null) {
        throw new WorkloadException("used before init");
      }
      try {
        shared = SharedClient.acquire(properties, settings());
        connected(shared);
      } catch (IOException e) {
        throw new WorkloadException(e);
      }
    }
    return shared;
  }

  @Override
  public void cleanup() throws WorkloadException {
    SharedClient client;
    synchronized (this) {
      client = shared;
      shared = null;
    }
    if (client != null && properties != null) {
      try {
        client.release(properties);
      } catch (IOException e) {
        throw new WorkloadException(e);
      }
    }
  }

  /** Runs the work until it is committed; in mode plain, once. */
  final void untilCommitted(SharedClient client, Work work) throws IOException {
    if (settings().mode() == Mode.PLAIN) {
      plain(client, work);
    } else {
      client
          .lampone()
          .run(
              transaction -> {
                work.on(transaction.table(settings().table()));
                return true;
              });
    }
  }

  final void plain(SharedClient client, Work work) throws IOException {
    try (Table table = client.plain().getTable(settings().table())) {
      work.on(table);
    }
  }

  final byte[] family() {
    return settings().family().getBytes(StandardCharsets.UTF_8);
  }

  final LoadedKeys keys() {
    return initialized(keys);
  }

  final Settings settings() {
    return initialized(settings);
  }

  static <T> T initialized(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("used before init");
    }
    return value;
  }
}
