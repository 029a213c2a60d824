package io.lampone.client.hbase.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.Fakes;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.hbase.read.BufferOverlay;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.hbase.CellLabels;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.junit.jupiter.api.Test;

class DetransactionalizeRowsTest {

  private static final byte[] ROW = {'r'};
  private static final Bytes F = Bytes.utf8("f");
  private static final Bytes Q = Bytes.utf8("q");
  private static final long START = 1_700_000_000_000_000_000L & ~255L;
  private static final long COMMIT = START + 2_000_000_000L;
  private static final long COMMIT_MILLIS = COMMIT / 1_000_000;

  @Test
  void whatATransactionWroteBecomesAPlainCellAtItsCommitTime() {
    Result stored = row(state(), cell(Q, START + 3, "v"));

    RowMutations mutations = DetransactionalizeRows.plainRow(stored, row(cell(Q, START + 3, "v")));

    assertThat(cells(mutations, Put.class))
        .singleElement()
        .satisfies(
            cell -> {
              assertThat(cell.getTimestamp()).isEqualTo(COMMIT_MILLIS);
              assertThat(CellUtil.cloneValue(cell)).isEqualTo(new byte[] {'v'});
            });
    assertThat(cells(mutations, Delete.class))
        .extracting(Cell::getTimestamp)
        .containsExactlyInAnyOrder(START, START + 3);
    assertThat(cells(mutations, Delete.class)).allMatch(c -> c.getType() == Cell.Type.Delete);
  }

  @Test
  void itCoversAPlainVersionOfTheFuture() {
    long future = COMMIT_MILLIS + 1000;
    Result stored = row(state(), cell(Q, START, "v"), cell(Q, future, "plain"));

    RowMutations mutations = DetransactionalizeRows.plainRow(stored, row(cell(Q, START, "v")));

    assertThat(cells(mutations, Put.class).get(0).getTimestamp()).isEqualTo(future + 1);
  }

  @Test
  void itCoversDeletesOfHBaseThatWouldHideIt() {
    long future = COMMIT_MILLIS + 1000;
    for (Cell.Type many : List.of(Cell.Type.DeleteColumn, Cell.Type.DeleteFamily)) {
      Result stored =
          row(delete(many, future), delete(Cell.Type.Delete, future + 1), cell(Q, START, "v"));
      RowMutations mutations = DetransactionalizeRows.plainRow(stored, row(cell(Q, START, "v")));
      assertThat(cells(mutations, Put.class).get(0).getTimestamp()).isEqualTo(future + 2);
    }
    for (Cell.Type one : List.of(Cell.Type.Delete, Cell.Type.DeleteFamilyVersion)) {
      // Of one version only: another one is not hidden by it.
      for (long version : new long[] {COMMIT_MILLIS, future}) {
        long visible = version == COMMIT_MILLIS ? COMMIT_MILLIS + 1 : COMMIT_MILLIS;
        RowMutations mutations =
            DetransactionalizeRows.plainRow(
                row(delete(one, version), state(), cell(Q, START, "v")), row(cell(Q, START, "v")));
        assertThat(cells(mutations, Put.class).get(0).getTimestamp()).isEqualTo(visible);
      }
    }
  }

  @Test
  void whatATransactionDeletedGetsAPlainDelete() {
    Result stored = row(state(), cell(Q, START, ""), cell(Q, 5, "old"), cell(Q, 7, "newer"));

    RowMutations mutations = DetransactionalizeRows.plainRow(stored, Result.EMPTY_RESULT);

    assertThat(cells(mutations, Put.class)).isEmpty();
    assertThat(cells(mutations, Delete.class))
        .filteredOn(c -> c.getType() == Cell.Type.DeleteColumn)
        .singleElement()
        .satisfies(c -> assertThat(c.getTimestamp()).isEqualTo(7));
  }

  /** HBase may count what was ours, and drop what it has hidden, before it meets the delete. */
  @Test
  void whatIsPlainAndSeenBelowSomethingOfOursIsWrittenOnceMoreWithTheDelete() {
    Result stored = row(state(), cell(Q, START, "never"), cell(Q, 5, "plain"));

    RowMutations mutations = DetransactionalizeRows.plainRow(stored, row(cell(Q, 5, "plain")));

    assertThat(cells(mutations, Put.class))
        .singleElement()
        .satisfies(
            cell -> {
              assertThat(cell.getTimestamp()).isEqualTo(5);
              assertThat(CellUtil.cloneValue(cell)).isEqualTo("plain".getBytes(UTF_8));
            });
    assertThat(cells(mutations, Delete.class))
        .filteredOn(cell -> CellUtil.matchingQualifier(cell, Q.toArray()))
        .singleElement()
        .satisfies(
            cell -> {
              assertThat(cell.getType()).isEqualTo(Cell.Type.Delete);
              assertThat(cell.getTimestamp()).isEqualTo(START);
            });
  }

  /** All readers of the table would see the value. */
  @Test
  void whatIsWrittenAgainKeepsItsLabels() {
    Tag label = new ArrayBackedTag(TagType.VISIBILITY_TAG_TYPE, Q.toArray());
    byte[] value = {'v'};
    Cell labelled =
        new KeyValue(ROW, F.toArray(), Q.toArray(), 5, KeyValue.Type.Put, value, List.of(label));
    Result stored = row(state(), cell(Q, START, "never"), labelled);

    RowMutations mutations = DetransactionalizeRows.plainRow(stored, row(labelled));

    assertThat(cells(mutations, Put.class))
        .singleElement()
        .satisfies(
            cell ->
                assertThat(CellLabels.of(cell))
                    .extracting(Tag::cloneValue)
                    .containsExactly(Q.toArray()));
  }

  @Test
  void whatIsPlainAndSeenStays() {
    Bytes other = Bytes.utf8("z");
    Result stored = row(state(), cell(Q, START, "v"), cell(other, 5, "plain"));

    RowMutations mutations =
        DetransactionalizeRows.plainRow(stored, row(cell(Q, START, "v"), cell(other, 5, "plain")));

    assertThat(
            Stream.concat(
                cells(mutations, Put.class).stream(), cells(mutations, Delete.class).stream()))
        .noneMatch(c -> CellUtil.matchingQualifier(c, other.toArray()));
  }

  @Test
  void aFastPathVersionIsItsOwnCommitTime() {
    long version = START + 200;

    RowMutations mutations =
        DetransactionalizeRows.plainRow(row(cell(Q, version, "v")), row(cell(Q, version, "v")));

    assertThat(cells(mutations, Put.class).get(0).getTimestamp()).isEqualTo(version / 1_000_000);
  }

  /** A scan does not return them: they are read once more. */
  @Test
  void whatIsWrittenAgainLiesAboveTheDeletesThatHBaseHolds() throws Exception {
    TableName table = TableName.valueOf("t");
    long future = COMMIT_MILLIS + 1000;
    Cell ours = cell(Q, START + 200, "v");
    StoredTables tables = new StoredTables();
    tables.add(table, delete(Cell.Type.DeleteColumn, future));
    tables.add(table, ours);
    StoreAccess access = tables.access();
    Fakes fakes = new Fakes();

    new DetransactionalizeRows(
            access,
            new StoredTables.Ended(),
            tables.pages(),
            () ->
                new OpenTransaction(
                    fakes.begin().join(),
                    new TransactionMode(true, true, false),
                    fakes.services(),
                    access.deadline()),
            table)
        .rewrite(access, List.of(row(ours)));

    assertThat(tables.written)
        .singleElement()
        .satisfies(
            row ->
                assertThat(cells(row, Put.class))
                    .extracting(Cell::getTimestamp)
                    .containsExactly(future + 1));
  }

  private static Cell state() {
    TransactionCell state =
        TransactionCell.leader(List.of(), true, 1).withState(TransactionState.FINAL, COMMIT);
    return BufferOverlay.cell(ROW, F, Reserved.TRANSACTION, Bytes.wrap(state.encode()), START);
  }

  private static Cell cell(Bytes qualifier, long version, String value) {
    return BufferOverlay.cell(ROW, F, qualifier, Bytes.utf8(value), version);
  }

  private static Cell delete(Cell.Type type, long version) {
    boolean ofFamily = type == Cell.Type.DeleteFamily || type == Cell.Type.DeleteFamilyVersion;
    return CellBuilderFactory.create(CellBuilderType.SHALLOW_COPY)
        .setRow(ROW)
        .setFamily(F.toArray())
        .setQualifier(ofFamily ? new byte[0] : Q.toArray())
        .setTimestamp(version)
        .setType(type)
        .setValue(new byte[0])
        .build();
  }

  private static Result row(Cell... cells) {
    return Result.create(cells);
  }

  private static List<Cell> cells(RowMutations mutations, Class<? extends Mutation> kind) {
    return mutations.getMutations().stream()
        .filter(kind::isInstance)
        .flatMap(m -> m.getFamilyCellMap().values().stream())
        .flatMap(List::stream)
        .toList();
  }
}
