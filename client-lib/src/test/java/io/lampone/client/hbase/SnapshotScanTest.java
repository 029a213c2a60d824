package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.Fakes;
import io.lampone.client.core.OpenTransaction;
import io.lampone.protocol.time.SystemClock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class SnapshotScanTest {

  private static final byte[] START = Bytes.toBytes("b");
  private static final byte[] STOP = Bytes.toBytes("d");

  private final Fakes fakes = new Fakes();
  private final RecordingTable table = new RecordingTable();

  /** The scanner may be opened much later, and again: after a flush, or after an intent. */
  @Test
  void whatTheCallerDoesWithItsScanAfterwardsIsNoBusinessOfTheScan() {
    Scan scan = new Scan().withStartRow(START).withStopRow(STOP).setLimit(7);
    SnapshotScan started =
        new SnapshotScan(
            table.access(),
            new OpenTransaction(
                fakes.begin().join(),
                new OpenTransaction.Mode(false, true, true),
                fakes.services(),
                SystemClock.INSTANCE.monotonicNanos() + TimeUnit.MINUTES.toNanos(1)),
            TableName.valueOf("t"),
            scan,
            new Nobody());
    scan.withStartRow(Bytes.toBytes("x")).withStopRow(Bytes.toBytes("z")).setLimit(1).setRaw(true);

    started.start();

    Scan sent = table.scans.get(0);
    assertThat(sent.getStartRow()).isEqualTo(START);
    assertThat(sent.getStopRow()).isEqualTo(STOP);
    assertThat(sent.getLimit()).isEqualTo(7);
  }

  private static final class Nobody implements ScanSink {
    @Override
    public boolean onNext(List<Result> results) {
      return true;
    }

    @Override
    public void onComplete() {}

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError(failure);
    }
  }
}
