package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class DeferredCellsTest {

  private final Map<Cell, ReturnCode> codes = new HashMap<>();
  private final List<Cell> judged = new ArrayList<>();
  private final DeferredCells deferred =
      new DeferredCells(
          cell -> {
            judged.add(cell);
            return codes.getOrDefault(cell, ReturnCode.SKIP);
          },
          cell -> cell(column(cell) + "'", cell.getTimestamp()));

  @Test
  void theResultOfTheRowShowsWhatWasIncludedInsteadOfTheDeferred() throws IOException {
    List<Cell> result = accept(cell("a", 3), cell("a", 2), cell("b", 1));
    codes.put(result.get(1), ReturnCode.INCLUDE_AND_NEXT_COL);
    codes.put(result.get(2), ReturnCode.INCLUDE);
    result.add(cell("behind", 5));
    assertThat(deferred.settle(true)).isFalse();
    deferred.complete(result);
    assertThat(names(result)).containsExactly("a' 2", "b' 1", "behind 5");
  }

  @Test
  void aFilterReceivesNoMoreOfAColumnOrFamilyThatItIsDoneWith() throws IOException {
    List<Cell> result =
        accept(cell("a", 3), cell("a", 2), cell("b", 3), cell("c", 3), cell("c", 2));
    codes.put(result.get(0), ReturnCode.NEXT_COL);
    codes.put(result.get(2), ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW);
    assertThat(deferred.settle(true)).isTrue();
    assertThat(names(judged)).containsExactly("a 3", "b 3");
    deferred.complete(result);
    assertThat(names(result)).containsExactly("b' 3");
  }

  /** HBase looks for deletes of the family in all versions of the empty column. */
  @Test
  void theEmptyColumnIsIteratedOverUnlessColumnsAreNamed() throws IOException {
    for (boolean named : new boolean[] {false, true}) {
      deferred.clear();
      judged.clear();
      accept(cell("", 3), cell("", 2)).forEach(cell -> codes.put(cell, ReturnCode.NEXT_COL));
      deferred.settle(named);
      assertThat(judged).hasSize(named ? 1 : 2);
    }
  }

  @Test
  void aCellThatAnotherFilterHasDroppedStaysDropped() throws IOException {
    List<Cell> result = accept(cell("a", 3), cell("b", 3));
    result.forEach(cell -> codes.put(cell, ReturnCode.INCLUDE));
    result.remove(0);
    deferred.settle(true);
    deferred.complete(result);
    assertThat(names(result)).containsExactly("b' 3");
  }

  @Test
  void aRowHasALimitedNumberOfThem() {
    int accepted = 0;
    while (deferred.accept(cell("a", 1_000 - accepted))) {
      accepted++;
    }
    assertThat(accepted).isEqualTo(64);
    deferred.clear();
    assertThat(deferred.accept(cell("a", 1))).isTrue();
    assertThat(deferred.anyOpen()).isTrue();
  }

  @Test
  void ofLargeCellsFewAreHeld() {
    Cell large =
        new KeyValue(
            Bytes.toBytes("row"), Bytes.toBytes("f"), Bytes.toBytes("a"), 9, new byte[100_000]);
    assertThat(deferred.accept(large)).isTrue();
    assertThat(deferred.accept(cell("a", 8))).isFalse();
    assertThat(DeferredCells.isLarge(List.of(large, large))).isFalse();
    assertThat(DeferredCells.isLarge(List.of(large, large, large))).isTrue();
  }

  /** Versions beyond the limit are passed to the filter without this. */
  @Test
  void itIsKnownOfWhichColumnTheFilterNeedsNoMore() throws IOException {
    List<Cell> result = accept(cell("a", 3), cell("b", 3));
    codes.put(result.get(1), ReturnCode.INCLUDE_AND_NEXT_COL);
    deferred.settle(true);
    assertThat(deferred.isOfDoneColumn(cell("b", 2))).isTrue();
    assertThat(deferred.isOfDoneColumn(cell("c", 2))).isFalse();
    deferred.clear();
    assertThat(deferred.isOfDoneColumn(cell("b", 2))).isFalse();
  }

  private List<Cell> accept(Cell... cells) {
    List<Cell> result = new ArrayList<>();
    for (Cell cell : cells) {
      assertThat(deferred.accept(cell)).isTrue();
      assertThat(deferred.isLast(cell)).isTrue();
      result.add(cell);
    }
    return result;
  }

  private static List<String> names(List<Cell> cells) {
    return cells.stream().map(cell -> column(cell) + " " + cell.getTimestamp()).toList();
  }

  private static String column(Cell cell) {
    return Bytes.toString(
        cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength());
  }

  private static Cell cell(String column, long version) {
    return new KeyValue(
        Bytes.toBytes("row"), Bytes.toBytes("f"), Bytes.toBytes(column), version, new byte[0]);
  }
}
