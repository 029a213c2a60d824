package io.lampone.tm;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.core.transfer.TransferResult;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Figures of hand-overs; runs only when {@code -Dlampone.measure=true} is given. */
@EnabledIfSystemProperty(named = "lampone.measure", matches = "true")
final class HandOverMeasurement {

  private static final int HASHES_OF_A_TRANSACTION = 1_000;

  @Test
  void thirtyHandOversUnderLoad() throws Exception {
    measure("small tables", 30, 1 << 16, 1 << 14, 0);
  }

  @Test
  void handOversOfFullTablesOfTheDefaultSize() throws Exception {
    measure("full tables", 6, 1 << 22, 1 << 20, 1 << 22);
  }

  private static void measure(
      String name, int handOvers, int conflicts, int decisions, int hashesBefore) throws Exception {
    try (TestingServer zookeeper = new TestingServer(true);
        TransactionManagerClient client =
            TransactionManagerClient.connect(
                TransactionManagerClientConfig.builder().build(),
                zookeeper.getConnectString(),
                "/lampone")) {
      TransactionManagerServer current = start(zookeeper, conflicts, decisions);
      current.whenPrimary().get(60, TimeUnit.SECONDS);
      for (int i = 0; i < hashesBefore; i += HASHES_OF_A_TRANSACTION) {
        fill(client, i);
      }
      try (TransactionLoad load = new TransactionLoad(client)) {
        load.await(20_000); // warm
        List<Long> gaps = new ArrayList<>();
        List<Long> wholes = new ArrayList<>();
        load.forgetLatencies();
        for (int i = 0; i < handOvers; i++) {
          TransactionManagerServer next = start(zookeeper, conflicts, decisions);
          long before = System.nanoTime();
          TransferResult report = current.handOver(Optional.empty()).get(60, TimeUnit.SECONDS);
          wholes.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before));
          gaps.add(report.gap().toNanos() / 1_000);
          load.await(1_000);
          current.close();
          current = next;
        }
        load.stop();
        System.out.println(name + ": gapsMicros=" + gaps + " wholeMillis=" + wholes + " " + load);
        System.out.println("failures=" + load.failures());
      }
      current.close();
    }
  }

  private static void fill(TransactionManagerClient client, int from) throws Exception {
    long[] hashes = new long[HASHES_OF_A_TRANSACTION];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = 1_000_000L + from + i;
    }
    long start = client.begin().get(60, TimeUnit.SECONDS).startTimestamp();
    client
        .validate(
            new Validator.Request(start, Proofs.OPEN.grant(start, 0), true, new long[0], hashes))
        .get(60, TimeUnit.SECONDS);
  }

  private static TransactionManagerServer start(
      TestingServer zookeeper, int conflicts, int decisions) throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .zookeeperQuorum(zookeeper.getConnectString())
                .conflictTableCapacity(conflicts)
                .decisionMemoryCapacity(decisions)
                .build(),
            new MetricRegistry());
    server.whenListed().get(60, TimeUnit.SECONDS);
    return server;
  }
}
