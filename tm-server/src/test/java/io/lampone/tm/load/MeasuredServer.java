package io.lampone.tm.load;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.MemoryRecordStore;

/**
 * A transaction manager without ZooKeeper, to be measured from another process. Takes the port and
 * the capacity of the conflict table; ends when its input does.
 */
final class MeasuredServer {

  private MeasuredServer() {}

  public static void main(String[] arguments) throws Exception {
    TransactionManagerConfig config =
        TransactionManagerConfig.builder()
            .bindHost("127.0.0.1")
            .bindPort(Integer.parseInt(arguments[0]))
            .conflictTableCapacity(Integer.parseInt(arguments[1]))
            .build();
    try (TransactionManagerServer server =
        TransactionManagerServer.start(
            config, new MetricRegistry(), new MemoryRecordStore(), SystemClock.INSTANCE)) {
      server.whenPrimary().join();
      System.out.println("ready");
      while (System.in.read() >= 0) {
        // Nothing to say.
      }
    }
  }
}
