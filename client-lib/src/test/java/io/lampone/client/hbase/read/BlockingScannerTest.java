package io.lampone.client.hbase.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.core.range.RangeReads;
import io.lampone.client.core.range.RowRange;
import io.lampone.client.core.range.ScanProgress;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class BlockingScannerTest {

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COLUMN = Bytes.toBytes("q");
  private static final long BYTES_OF_A_RESULT = Result.getTotalSizeOfCells(result(0));

  private final Waiting waiting = new Waiting();
  private final AtomicInteger closed = new AtomicInteger();
  private final AtomicInteger resumed = new AtomicInteger();
  private final BlockingScanner scanner =
      new BlockingScanner(
          4 * BYTES_OF_A_RESULT, waiting, ScanProgress.NONE, closed::incrementAndGet);

  @Test
  void resultsComeInTheirOrderWhateverTheirGroups() throws IOException {
    scanner.onNext(results(0, 3));
    scanner.onNext(results(3, 4));
    scanner.onNext(results(4, 9));
    scanner.onComplete();

    List<Integer> rows = new ArrayList<>();
    for (Result result : scanner) {
      rows.add(Bytes.toInt(result.getRow()));
    }
    assertThat(rows).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(scanner.next()).isNull();
  }

  /** What is held and was not taken has not been read. */
  @Test
  void onlyWhatIsTakenCountsAsRead() throws IOException {
    List<String> told = new ArrayList<>();
    RangeReads reads = new RangeReads();
    ScanProgress progress =
        reads.begin(
            new ScannedRange("t", ConflictLevel.ROW, Map.of(), RowRange.ALL),
            false,
            0,
            ended -> {
              told.add("ended");
              reads.ended(ended);
            });
    BlockingScanner recorded =
        new BlockingScanner(1 << 20, waiting, progress, closed::incrementAndGet);
    recorded.onNext(results(0, 3));
    recorded.onComplete();
    recorded.next();
    recorded.next();
    assertThat(told).isEmpty();
    recorded.close();
    assertThat(told).containsExactly("ended");
    RowRange covered = reads.all().get(0).rows();
    assertThat(covered.contains(io.lampone.protocol.Bytes.of(Bytes.toBytes(1)))).isTrue();
    assertThat(covered.contains(io.lampone.protocol.Bytes.of(Bytes.toBytes(2)))).isFalse();
  }

  @Test
  void aFailureComesBehindTheResultsThatCameBeforeIt() throws IOException {
    scanner.onNext(results(0, 2));
    scanner.onError(new IOException("broken"));

    assertThat(scanner.next()).isNotNull();
    assertThat(scanner.next()).isNotNull();
    assertThatThrownBy(scanner::next).hasMessage("broken");
  }

  @Test
  void aScanIsStoppedWhileMoreIsHeldThanAllowedAndGoesOnWhenHalfIsUsed() throws IOException {
    give(0, 3);
    assertThat(waiting.brakes).isZero();
    give(3, 6);
    assertThat(waiting.brakes).isOne();

    take(3);
    assertThat(resumed).hasValue(0); // the group is still in use
    take(1);
    assertThat(resumed).hasValue(0); // three are held, two are half
    take(2);
    scanner.onComplete();
    assertThat(scanner.next()).isNull();
    assertThat(resumed).hasValue(1);
  }

  @Test
  void aGroupThatIsLargerThanAllIsTakenAndTheScanGoesOnBehindIt() throws IOException {
    give(0, 100);
    assertThat(waiting.brakes).isOne();
    take(100);
    assertThat(resumed).hasValue(0);

    CompletableFuture<Integer> next =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Bytes.toInt(scanner.next().getRow());
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    while (resumed.get() == 0) {
      Thread.onSpinWait();
    }
    give(100, 101);
    assertThat(next.join()).isEqualTo(100);
  }

  @Test
  void aClosedScannerTakesNothingAndLetsAStoppedScanHearOfIt() throws IOException {
    give(0, 6);
    take(1);
    scanner.close();

    assertThat(closed).hasValue(1);
    assertThat(resumed).hasValue(1);
    assertThat(scanner.onNext(results(6, 7))).isFalse();
    assertThat(scanner.next()).isNull();
  }

  /** One thread begins with a group, another one goes on with it. */
  @Test
  void anotherThreadMayGoOn() throws Exception {
    give(0, 3);
    assertThat(nextRow()).isEqualTo(0);
    assertThat(CompletableFuture.supplyAsync(this::nextRow).get()).isEqualTo(1);
    assertThat(nextRow()).isEqualTo(2);
  }

  private int nextRow() {
    try {
      return Bytes.toInt(scanner.next().getRow());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whoseTimeIsUpHearsOfItButGetsWhatHasCome() throws IOException {
    give(0, 2);
    waiting.millisLeft = 0;
    take(2);
    assertThatThrownBy(scanner::next).hasMessage("time is up");
  }

  /** What had broken it had been thrown on a thread without a handler: it hung for ten minutes. */
  @Test
  void aScanThatNobodyHearsOfEndsLongBeforeItsTransaction() {
    waiting.longestSilence = 20;
    assertThatThrownBy(scanner::next).hasMessageContaining("neither found anything nor failed");
  }

  @Test
  void aScanThatIsStillLookingIsWaitedFor() throws Exception {
    waiting.longestSilence = 3_000;
    CompletableFuture<Integer> next = CompletableFuture.supplyAsync(this::nextRow);
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < 4_000_000_000L) {
      assertThat(scanner.wantsMore()).isTrue();
      LockSupport.parkNanos(1_000_000);
    }
    give(0, 1);
    assertThat(next.get()).isZero();
  }

  private void give(int from, int to) {
    assertThat(scanner.onNext(results(from, to))).isTrue();
    scanner.onGroupEnd(
        () -> {
          waiting.brakes++;
          return resumed::incrementAndGet;
        });
  }

  private void take(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      assertThat(scanner.next()).isNotNull();
    }
  }

  private static List<Result> results(int from, int to) {
    List<Result> results = new ArrayList<>();
    for (int row = from; row < to; row++) {
      results.add(result(row));
    }
    return results;
  }

  private static Result result(int row) {
    return Result.create(
        new Cell[] {new KeyValue(Bytes.toBytes(row), FAMILY, COLUMN, 1, Bytes.toBytes(row))});
  }

  /** One thread, which waits itself. */
  private static final class Waiting implements BlockingScanner.Calls {

    private final long began = System.nanoTime();
    private long longestSilence = 50_000;
    private long millisLeft = 50_000;
    private int brakes;

    @Override
    public <T> T guarded(BlockingScanner.Interruptible<T> body) throws IOException {
      try {
        return body.run();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    @Override
    public LongSupplier millisLeft() {
      return () -> millisLeft - (System.nanoTime() - began) / 1_000_000;
    }

    @Override
    public long longestSilenceMillis() {
      return longestSilence;
    }

    @Override
    public IOException translate(Throwable failure) {
      return failure instanceof IOException known ? known : new IOException(failure);
    }

    @Override
    public IOException timeout() {
      return new IOException("time is up");
    }
  }
}
