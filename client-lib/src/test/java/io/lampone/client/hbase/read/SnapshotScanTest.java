package io.lampone.client.hbase.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.Fakes;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.hbase.RecordingTable;
import io.lampone.client.hbase.transport.RegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.UnknownScannerException;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer.ScanController;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.exceptions.OutOfOrderScannerNextException;
import org.apache.hadoop.hbase.exceptions.ScannerResetException;
import org.apache.hadoop.hbase.regionserver.RegionServerStoppedException;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class SnapshotScanTest {

  private static final byte[] START = Bytes.toBytes("b");
  private static final byte[] STOP = Bytes.toBytes("d");

  private static final io.lampone.protocol.Bytes F = io.lampone.protocol.Bytes.utf8("f");

  private final Fakes fakes = new Fakes();
  private final RecordingTable table = new RecordingTable();

  /** The scanner may be opened much later, and again: after a flush, or after an intent. */
  @Test
  void whatTheCallerDoesWithItsScanAfterwardsIsNoBusinessOfTheScan() {
    Scan scan = new Scan().withStartRow(START).withStopRow(STOP).setLimit(7);
    Ending ending = new Ending();
    SnapshotScan started = scanning(table.access(), scan, ending);
    scan.withStartRow(Bytes.toBytes("x")).withStopRow(Bytes.toBytes("z")).setLimit(1).setRaw(true);

    started.start();

    Scan sent = table.scans.get(0);
    assertThat(sent.getStartRow()).isEqualTo(START);
    assertThat(sent.getStopRow()).isEqualTo(STOP);
    assertThat(sent.getLimit()).isEqualTo(7);
    assertThat(ending.failures).isEmpty();
  }

  @Test
  void whatIsBufferedInItsRangeIsSentFirst() {
    RowFamily inside = new RowFamily("t", io.lampone.protocol.Bytes.utf8("c"), F);
    for (boolean reversed : List.of(false, true)) {
      OpenTransaction transaction = begin();
      transaction.write(
          ConflictLevel.ROW,
          inside,
          List.of(new Write(IntentKind.PUT, F, F, FamilyRetention.FOREVER)));
      Scan scan =
          new Scan()
              .setReversed(reversed)
              .withStartRow(reversed ? STOP : START)
              .withStopRow(reversed ? START : STOP);
      assertThat(buffers(transaction)).isTrue();
      new SnapshotScan(table.access(), transaction, TableName.valueOf("t"), scan, new Ending())
          .start();
      assertThat(buffers(transaction)).as("reversed=%s", reversed).isFalse();
    }
  }

  private static boolean buffers(OpenTransaction transaction) {
    var none = io.lampone.protocol.Bytes.EMPTY;
    return transaction.buffersAny("t", none, true, none, true);
  }

  /** It would drop a pointer at what came already before anybody has seen it. */
  @Test
  void whereRowsComeInPartsHBasesClientDoesNotGoOnByItself() {
    for (Scan scan :
        List.of(new Scan(), new Scan().setBatch(5), new Scan().setAllowPartialResults(true))) {
      scanning(table.access(), scan, new Ending()).start();
    }

    assertThat(table.attempts).containsExactly(RegionTransport.ATTEMPTS, 1, 1);
  }

  @Test
  void aScannerByWhichRowsComeInPartsIsOpenedAgainForAsLongAsAnOperationMayTake() {
    for (IOException lost :
        List.of(
            new NotServingRegionException("moved"),
            new UnknownScannerException("server restarted"),
            new ScannerResetException("reset"),
            new OutOfOrderScannerNextException("a reply was lost"),
            new RegionServerStoppedException("stopped"),
            new ConnectException("dead"))) {
      table.consumers.clear();
      AtomicLong seconds = new AtomicLong();
      StoreAccess access = table.access(new ManualClock(seconds));
      Ending ending = new Ending();
      scanning(access, new Scan().setBatch(5), ending).start();

      for (int i = 0; i < 11; i++) {
        assertThat(ending.failures).as("%s at %d s", lost, i).isEmpty();
        table.consumers.get(i).onError(new RetriesExhaustedException("one attempt", lost));
        seconds.incrementAndGet();
      }

      assertThat(table.consumers).hasSize(11);
      assertThat(ending.failures).hasSize(1);
    }
  }

  /** HBase's client gives up if a region closes while the first call of a scanner reads. */
  @Test
  void aScannerThatIsLostByItsFirstCallIsOpenedAgain_ofWholeRowsToo() {
    AtomicLong seconds = new AtomicLong();
    Ending ending = new Ending();
    scanning(table.access(new ManualClock(seconds)), new Scan(), ending).start();

    for (int i = 0; i < 11; i++) {
      assertThat(ending.failures).as("at %d s", i).isEmpty();
      table.consumers.get(i).onError(new ScannerResetException("closed on the server-side"));
      seconds.incrementAndGet();
    }

    assertThat(table.consumers).hasSize(11);
    assertThat(ending.failures).hasSize(1);
  }

  @Test
  void whatHBasesClientWouldNotRepeatEndsAScanAndSoDoesWhatItHasRepeated() {
    Ending ofBatches = new Ending();
    scanning(table.access(), new Scan().setBatch(5), ofBatches).start();
    table.consumers.get(0).onError(new TableNotFoundException("t"));
    Ending ofRows = new Ending();
    scanning(table.access(), new Scan(), ofRows).start();
    table.consumers.get(1).onError(new NotServingRegionException("moved"));

    assertThat(table.consumers).hasSize(2);
    assertThat(ofBatches.failures).hasSize(1);
    assertThat(ofRows.failures).hasSize(1);
  }

  /** Only what brings no news is limited: an undecided row that is not visible shows nothing. */
  @Test
  void aScanGoesOnPastAnyNumberOfUndecidedRows() {
    Ending ending = new Ending();
    scanning(table.access(), new Scan(), ending).start();

    for (int i = 0; i < 250; i++) {
      assertThat(ending.failures).as("before undecided row %d", i).isEmpty();
      AdvancedScanResultConsumer scanner = table.consumers.get(i);
      scanner.onNext(new Result[] {undecided(i)}, controller());
      scanner.onComplete();
    }

    assertThat(ending.failures).isEmpty();
    assertThat(table.consumers).hasSize(251);
  }

  /** None of them is visible, so that no result shows how far the scan has come. */
  @Test
  void moreUndecidedRowsThanOneRequestJudgesAreJudgedInFewRounds() {
    Ending ending = new Ending();
    scanning(table.access(), new Scan(), ending).start();

    List<Result> all = IntStream.range(0, 2_500).mapToObj(SnapshotScanTest::undecided).toList();
    List<Result> left = all;
    for (int i = 0; !left.isEmpty() && i < 10; i++) {
      Scan sent = table.scans.get(i);
      var judged = Carrier.readRequest(sent).orElseThrow().judgments().keySet();
      left =
          all.stream()
              .filter(row -> Bytes.compareTo(row.getRow(), sent.getStartRow()) >= 0)
              .filter(row -> !judged.contains(id(row)))
              .toList();
      AdvancedScanResultConsumer scanner = table.consumers.get(i);
      if (!left.isEmpty()) {
        scanner.onNext(left.toArray(new Result[0]), controller());
      }
      scanner.onComplete();
    }

    assertThat(ending.failures).isEmpty();
    assertThat(table.scans.size()).isEqualTo(4);
    assertThat(left).isEmpty();
  }

  private static TransactionId id(Result row) {
    return ServerRow.of("t", row).pointers().get(0).id();
  }

  /** Returns a row with nothing but an intent, of a transaction of its own. */
  private static Result undecided(int number) {
    long start = Timestamps.PLAIN_LIMIT + number * Timestamps.TICK;
    byte[] row = Bytes.toBytes(String.format("%06d", number));
    return Result.create(
        List.of(
            Carrier.pointerCell(
                new KeyValue(row, F.toArray(), Reserved.TRANSACTION.toArray(), start, new byte[0]),
                start,
                TransactionCell.follower(
                    new RowFamily("u", io.lampone.protocol.Bytes.utf8("leader"), F), 0))));
  }

  private static ScanController controller() {
    return (ScanController)
        Proxy.newProxyInstance(
            ScanController.class.getClassLoader(),
            new Class<?>[] {ScanController.class},
            (proxy, method, arguments) -> null);
  }

  private SnapshotScan scanning(StoreAccess access, Scan scan, ScanSink sink) {
    return new SnapshotScan(access, begin(), TableName.valueOf("t"), scan, sink);
  }

  private OpenTransaction begin() {
    return new OpenTransaction(
        fakes.begin().join(),
        new TransactionMode(false, true, true),
        fakes.services(),
        SystemClock.INSTANCE.monotonicNanos() + TimeUnit.MINUTES.toNanos(1));
  }

  private record ManualClock(AtomicLong seconds) implements Clock {
    @Override
    public long wallMillis() {
      return TimeUnit.SECONDS.toMillis(seconds.get());
    }

    @Override
    public long monotonicNanos() {
      return TimeUnit.SECONDS.toNanos(seconds.get());
    }
  }

  /** Takes note of how a scan fails. */
  private static final class Ending implements ScanSink {
    private final List<Throwable> failures = new ArrayList<>();

    @Override
    public boolean onNext(List<Result> results) {
      return true;
    }

    @Override
    public void onComplete() {}

    @Override
    public void onError(Throwable failure) {
      failures.add(failure);
    }
  }
}
