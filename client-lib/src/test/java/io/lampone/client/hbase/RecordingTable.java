package io.lampone.client.hbase;

import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.transport.AsyncRegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreMetrics;
import io.lampone.client.hbase.transport.StoreSettings;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/** A table that takes note of how it is asked, and refuses unless a test answers gets. */
public final class RecordingTable {

  /** What was set with a time, by the name of the setter, in nanoseconds. */
  final Map<String, Long> timeouts = new HashMap<>();

  /** How often HBase's client may send a request, of each table that was built. */
  public final List<Integer> attempts = new ArrayList<>();

  /** The end of every request but scans. */
  public IOException failure = new DoNotRetryIOException("no");

  /** The end of each get, if it is not the failure. */
  public Function<Get, CompletableFuture<Result>> gets = get -> no();

  public final List<Scan> scans = new ArrayList<>();

  /** Who waits for what a scan finds, in the order of {@link #scans}. */
  public final List<AdvancedScanResultConsumer> consumers = new ArrayList<>();

  /** A way to HBase on which there is only this table. */
  public StoreAccess access() {
    return access(SystemClock.INSTANCE);
  }

  /** The same with a clock that measures deadlines. */
  public StoreAccess access(Clock clock) {
    AsyncTableBuilder<?>[] builder = new AsyncTableBuilder<?>[1];
    AsyncTable<?> table = fake(AsyncTable.class, (method, arguments) -> answer(arguments));
    builder[0] =
        fake(
            AsyncTableBuilder.class,
            (method, arguments) -> {
              if (method.equals("build")) {
                return table;
              }
              if (method.equals("setMaxAttempts")) {
                attempts.add((Integer) arguments[0]);
              }
              if (arguments.length == 2) {
                timeouts.put(method, ((TimeUnit) arguments[1]).toNanos((Long) arguments[0]));
              }
              return builder[0];
            });
    AsyncConnection connection = fake(AsyncConnection.class, (method, arguments) -> builder[0]);
    return new StoreAccess(
        connection,
        new AsyncRegionTransport(connection, StoreSettings.DEFAULT, clock),
        StoreSettings.DEFAULT,
        new Driver(delay -> CompletableFuture.completedFuture(null), clock),
        new Random(1),
        new StoreMetrics());
  }

  private Object answer(Object[] arguments) {
    Object request = arguments[0];
    if (request instanceof Scan scan) {
      scans.add(scan);
      consumers.add((AdvancedScanResultConsumer) arguments[1]);
      return null;
    }
    return request instanceof List<?> list ? list.stream().map(this::end).toList() : end(request);
  }

  private CompletableFuture<?> end(Object request) {
    return request instanceof Get get ? gets.apply(get) : no();
  }

  private <T> CompletableFuture<T> no() {
    return CompletableFuture.failedFuture(failure);
  }

  private interface Answers {
    Object to(String method, Object[] arguments);
  }

  private static <T> T fake(Class<T> type, Answers answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.to(method.getName(), arguments)));
  }
}
