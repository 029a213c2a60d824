package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The disk is full while regions are compacted: a separate file system, in memory. For nightly
 * runs, on Linux as root: {@code -Dlampone.test.disk=true}.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FullDiskIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int MEGABYTE = 1 << 20;
  private static final int DISK_MEGABYTES = 256;
  private static final int ROWS = 2_000;
  private static final int ROUNDS = 3;

  /** Large enough that a compaction's files exceed the free space. */
  private static final int VALUE_BYTES = 10_000;

  private static final int LEFT_MEGABYTES = 4;

  @TempDir private Path folder;

  @Test
  void aCompactionThatFindsTheDiskFullLosesNothing() throws Exception {
    Assumptions.assumeTrue(
        Boolean.getBoolean("lampone.test.disk"), "fills a disk: -Dlampone.test.disk=true runs it");
    // HBase's files only: ZooKeeper would exit at the first line that it cannot log.
    Path root = folder.resolve("root");
    Path data = Files.createDirectories(root.resolve("hbase"));
    Assumptions.assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=" + DISK_MEGABYTES + "m", "tmpfs", data.toString())
            == 0,
        "a tmpfs cannot be mounted here: needs Linux, root and the right to mount");
    try {
      fillWhileCompacting(root, data);
    } finally {
      assertThat(run("umount", "-l", data.toString())).as("unmount " + data).isZero();
    }
  }

  private static void fillWhileCompacting(Path root, Path data) throws Exception {
    Path ballast = data.resolve("ballast");
    try (EmbeddedLampone lampone =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(root).build());
        LamponeClient client = LamponeClient.connect(lampone.configuration());
        Connection connection = ConnectionFactory.createConnection(lampone.configuration())) {
      TwoRows rows = TwoRows.create(client, connection, "full");
      for (int round = 0; round < ROUNDS; round++) {
        write(client, rows, round);
        for (HRegion region : regions(lampone, rows)) {
          region.flush(true);
        }
      }
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(lampone.pendingIntents(rows.table())).isEmpty());
      try (Transaction old = client.readOnly()) {
        lampone.advanceSafePoint(old.startTimestamp()).get(60, TimeUnit.SECONDS);
        fill(data, ballast);
        try {
          for (HRegion region : regions(lampone, rows)) {
            // Hadoop's local file system turns it into an Error.
            assertThatThrownBy(() -> region.compact(true))
                .hasStackTraceContaining("No space left on device");
          }
          verify(old, rows);
        } finally {
          // Before the cluster is closed, too: that flushes.
          Files.delete(ballast);
        }
        for (HRegion region : regions(lampone, rows)) {
          region.compact(true);
        }
        verify(old, rows);
      }
      write(client, rows, ROUNDS - 1);
      try (Transaction now = client.readOnly()) {
        verify(now, rows);
      }
    }
  }

  private static void write(LamponeClient client, TwoRows rows, int round) throws IOException {
    client.run(
        tx -> {
          try (Table table = tx.table(rows.table())) {
            for (int row = 0; row < ROWS; row++) {
              String half = row % 2 == 0 ? "a" : "z";
              Put put = new Put(bytes(half + String.format("%06d", row)));
              table.put(put.addColumn(FAMILY, COLUMN, value(row, round)));
            }
          }
          return null;
        });
  }

  private static void verify(Transaction snapshot, TwoRows rows) throws IOException {
    int found = 0;
    try (Table table = snapshot.table(rows.table());
        ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result result : scanner) {
        int row = Integer.parseInt(new String(result.getRow(), 1, 6));
        assertThat(result.getValue(FAMILY, COLUMN)).isEqualTo(value(row, ROUNDS - 1));
        found++;
      }
    }
    assertThat(found).isEqualTo(ROWS);
  }

  /** Does not compress. */
  private static byte[] value(int row, int round) {
    byte[] value = new byte[VALUE_BYTES];
    new Random(row * 31L + round).nextBytes(value);
    return value;
  }

  private static void fill(Path data, Path ballast) throws IOException {
    byte[] megabyte = new byte[MEGABYTE];
    try (OutputStream out = Files.newOutputStream(ballast)) {
      while (Files.getFileStore(data).getUsableSpace() > (long) LEFT_MEGABYTES * MEGABYTE) {
        out.write(megabyte);
      }
    }
  }

  private static List<HRegion> regions(EmbeddedLampone lampone, TwoRows rows) {
    List<HRegion> regions = new ArrayList<>();
    for (int i = 0; i < lampone.hbase().regionServerCount(); i++) {
      regions.addAll(lampone.hbase().regionServer(i).getRegions(rows.table()));
    }
    return regions;
  }

  private static int run(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor();
    } catch (IOException e) {
      return -1;
    }
  }
}
