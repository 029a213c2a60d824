package io.lampone.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.shell.ClientDatabase;
import io.lampone.cli.shell.Database;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.time.SystemClock;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills client processes at arbitrary moments while 16 threads continue and an auditor checks the
 * sum. {@code -Dlampone.bank.seconds=60} makes it longer.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BankIT {

  private static final TableName TABLE = TableName.valueOf("bank");
  private static final int ACCOUNTS = 100;
  private static final int THREADS = 16;
  private static final int DEFAULT_SECONDS = 20;
  private static final long LONGEST_LIFE_MILLIS = 1_500;

  @TempDir Path folder;

  @Test
  void theSumStaysWhileClientsAreKilledAtRandomSteps() throws Exception {
    Duration time = Duration.ofSeconds(Integer.getInteger("lampone.bank.seconds", DEFAULT_SECONDS));
    long seed = new Random().nextLong();
    String context = "seed=" + seed;
    try (EmbeddedLampone cluster =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("data")).build());
        Database database = ClientDatabase.connect(cluster.configuration())) {
      Bank bank = new Bank(database, TABLE, ACCOUNTS);
      bank.createTable();
      bank.openAccounts();
      Path site = folder.resolve("hbase-site.xml");
      try (Writer writer = Files.newBufferedWriter(site)) {
        cluster.clientConfiguration().writeXml(writer);
      }
      BankTransfers workload =
          new BankTransfers(database, bank, SystemClock.INSTANCE, THREADS, seed);
      workload.start();
      int killed = killUntil(System.nanoTime() + time.toNanos(), site, new Random(seed));
      BankReport report = workload.stop();
      context += " killed=" + killed + " report=" + report;

      assertThat(report.failures()).as(context).isEmpty();
      assertThat(report.wrongAudits()).as(context).isEmpty();
      assertThat(report.isWell()).as(context).isTrue();
      assertThat(killed).as(context).isPositive();
      try (BankProbe probe =
          new BankProbe(database, bank, SystemClock.INSTANCE, Duration.ofSeconds(60))) {
        assertThat(probe.unreadableAccounts()).as(context).isZero();
        assertThat(probe.state()).as(context).isEqualTo(bank.expected());
      }
    }
  }

  private int killUntil(long endNanos, Path site, Random random) throws Exception {
    int killed = 0;
    while (System.nanoTime() - endNanos < 0) {
      boolean atWork = killed % 3 != 2; // every third one dies between intents and commit
      int from = random.nextInt(ACCOUNTS - 1);
      try (DoomedProcess client =
          DoomedProcess.start(
              site,
              folder.resolve("killed-clients.log"),
              List.of(
                  "--table=" + TABLE,
                  "--accounts=" + ACCOUNTS,
                  "--from=" + from,
                  "--to=" + (from + 1),
                  "--threads=" + (atWork ? 2 : 0),
                  "--seed=" + random.nextLong()))) {
        client.await(atWork ? DoomedClient.READY : DoomedClient.INTENTS, Duration.ofSeconds(60));
        if (atWork) {
          long lifeMillis = random.nextLong(LONGEST_LIFE_MILLIS);
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(lifeMillis));
        }
        client.kill();
        killed++;
      }
    }
    return killed;
  }
}
