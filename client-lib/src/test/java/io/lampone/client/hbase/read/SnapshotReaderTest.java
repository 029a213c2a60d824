package io.lampone.client.hbase.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.Fakes;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.hbase.RecordingTable;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.time.SystemClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.junit.jupiter.api.Test;

/** Rows that are read together, and those of them that are read again. */
class SnapshotReaderTest {

  private static final Bytes F = Bytes.utf8("f");
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");
  private static final Bytes STORED = Bytes.utf8("stored");

  private final Fakes fakes = new Fakes();
  private final RecordingTable table = new RecordingTable();
  private final StoreAccess access = table.access();
  private final List<Bytes> sent = new ArrayList<>();
  private int longestRequest;
  private final OpenTransaction transaction =
      new OpenTransaction(
          fakes.begin().join(),
          new TransactionMode(false, true, true),
          fakes.services(),
          SystemClock.INSTANCE.monotonicNanos() + TimeUnit.MINUTES.toNanos(1));

  @Test
  void aRowThatIsReadAgainHasItsOwnOptionsAndShowsItsOwnWritesOnly() {
    write(A, "own");
    table.gets = get -> refusedOnce(B, get);

    List<Result> results = read(new Get(A.toArray()).addFamily(F.toArray()), new Get(B.toArray()));

    assertThat(sent).containsExactly(A, B, B);
    assertThat(cells(results.get(0))).containsExactly("a own=own", "a stored=stored");
    assertThat(cells(results.get(1))).containsExactly("b stored=stored");
  }

  /** Their judgments together are longer than a request may be. */
  @Test
  void manyRowsWhoseTransactionsHaveLongNamesAreReadInTwoRounds() {
    Get[] gets = new Get[600];
    for (int i = 0; i < gets.length; i++) {
      gets[i] = new Get(row(i));
    }
    table.gets = this::shownIfJudged;

    assertThat(read(gets)).hasSize(gets.length).allMatch(result -> !result.isEmpty());
    assertThat(sent).hasSize(2 * gets.length);
    assertThat(longestRequest).as("each row brings what concerns it").isLessThan(200 << 10);
  }

  private static byte[] row(int number) {
    return String.format("%0500d", number).getBytes(StandardCharsets.UTF_8);
  }

  /** Shows the stored cell if the request judges the row's intent, of a transaction of its own. */
  private CompletableFuture<Result> shownIfJudged(Get get) {
    byte[] row = get.getRow();
    RowFamily leader = new RowFamily("u", Bytes.wrap(row), F);
    TransactionId id = new TransactionId(Timestamps.PLAIN_LIMIT, leader);
    sent.add(Bytes.wrap(row));
    longestRequest = Math.max(longestRequest, get.getAttribute(ReadRequest.ATTRIBUTE).length);
    Cell stored = BufferOverlay.cell(row, F, STORED, STORED, 1);
    boolean judged = Carrier.readRequest(get).orElseThrow().judgments().containsKey(id);
    return CompletableFuture.completedFuture(
        Result.create(
            List.of(
                judged
                    ? stored
                    : Carrier.pointerCell(
                        stored, id.startTimestamp(), TransactionCell.follower(leader, 0)),
                Carrier.proofCell(row, new byte[0]))));
  }

  private void write(Bytes row, String text) {
    access
        .driver()
        .start(
            transaction.write(
                ConflictLevel.ROW,
                new RowFamily("t", row, F),
                List.of(
                    new Write(
                        IntentKind.PUT,
                        Bytes.utf8(text),
                        Bytes.utf8(text),
                        FamilyRetention.FOREVER))))
        .join();
  }

  private List<Result> read(Get... gets) {
    return access
        .driver()
        .start(
            new SnapshotReader(access, transaction, TableName.valueOf("t")).getAll(List.of(gets)))
        .join();
  }

  /** Shows the stored cell of each row, but refuses one row for now when it is read first. */
  private CompletableFuture<Result> refusedOnce(Bytes refused, Get get) {
    Bytes row = Bytes.of(get.getRow());
    boolean first = !sent.contains(row);
    sent.add(row);
    return first && row.equals(refused)
        ? CompletableFuture.failedFuture(
            new RefusalException(Refusal.of(Refusal.Code.NOT_READY, "refused by the fake")))
        : CompletableFuture.completedFuture(
            Result.create(
                List.of(
                    BufferOverlay.cell(get.getRow(), F, STORED, STORED, 1),
                    Carrier.proofCell(get.getRow(), new byte[0]))));
  }

  private static List<String> cells(Result result) {
    return result.listCells().stream().map(SnapshotReaderTest::text).toList();
  }

  private static String text(Cell cell) {
    return Bytes.wrap(CellUtil.cloneRow(cell)).toUtf8()
        + " "
        + Bytes.wrap(CellUtil.cloneQualifier(cell)).toUtf8()
        + "="
        + Bytes.wrap(CellUtil.cloneValue(cell)).toUtf8();
  }
}
