package io.lampone.faultlab.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.KeyRange;
import io.lampone.checker.Operation;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** A wrong result of a scan is a violation, and not repaired. */
class StepsTest {

  private final List<String> violations = new ArrayList<>();

  /** In the order of their rows. */
  private final List<Long> keys =
      BankWorkload.accounts().stream()
          .sorted(
              Comparator.comparing(HistoryCells::row, Bytes.BYTES_COMPARATOR)
                  .thenComparing(Comparator.naturalOrder()))
          .toList();

  @Test
  void eachRowOnceAndInOrderIsWhatAScanGives() throws IOException {
    List<Operation> seen = scan(row(0, 1), row(2, 3), row(4));
    assertThat(violations).isEmpty();
    assertThat(seen)
        .contains(
            new Operation.Read(keys.get(4).toString(), List.of(4L)),
            new Operation.Read(keys.get(5).toString(), List.of()));
  }

  @Test
  void aRowThatComesTwiceIsAViolation() throws IOException {
    scan(row(0, 1), row(2, 3), row(2, 3), row(4));
    assertThat(violations).singleElement().asString().contains("a row twice");
  }

  @Test
  void aRowThatComesInTwoPartsIsAViolation() throws IOException {
    scan(row(0), row(1), row(2, 3));
    assertThat(violations).singleElement().asString().contains("a row twice");
  }

  @Test
  void rowsOutOfOrderAreAViolation() throws IOException {
    scan(row(2, 3), row(0, 1));
    assertThat(violations).singleElement().asString().contains("rows out of order");
  }

  @Test
  void twoVersionsOfAColumnAreAViolation() throws IOException {
    scan(row(0, 0, 1));
    assertThat(violations).singleElement().asString().contains("columns twice");
  }

  @Test
  void twoRowsAsOneAreAViolation() throws IOException {
    scan(row(0, 2));
    assertThat(violations).singleElement().asString().contains("two rows as one");
  }

  @Test
  void whatNobodyHasAskedForIsAViolation() throws IOException {
    scan(Result.create(List.of(cell(HistoryCells.lone(9_999, 0), 1))));
    assertThat(violations).singleElement().asString().contains("rows that were not asked for");
  }

  /** The checker considers keys of the range absent if they are not read. */
  @Test
  void theRangeOfAScanIsRecorded() throws IOException {
    Steps steps = new Steps(List.of(giving(), giving()), violations::add);
    steps.scanAll(List.of());
    steps.scanGroup(3);
    assertThat(steps.scans())
        .containsExactly(
            new KeyRange("0", Long.toString((1L << 40) - 1)),
            new KeyRange(Long.toString(1L << 40), Long.toString((1L << 41) - 1)),
            new KeyRange("96", "127"));
  }

  /** A serializable transaction has read them, also if it has rolled back to a savepoint. */
  @Test
  void whatAnUndonePartHasReadOfOthersRemains() {
    Operation one = new Operation.Read("1", List.of(7L));
    Operation two = new Operation.Read("2", List.of());
    assertThat(
            Steps.readBeforeWrites(
                List.of(
                    one,
                    new Operation.Append("1", 8),
                    new Operation.Read("1", List.of(7L, 8L)),
                    two,
                    new Operation.Write("3", 9),
                    new Operation.Read("3", List.of(9L)))))
        .containsExactly(one, two);
  }

  private List<Operation> scan(Result... rows) throws IOException {
    Steps steps = new Steps(List.of(giving(rows)), violations::add);
    steps.scanAll(keys);
    return steps.operations();
  }

  /** Returns a row with the values at these places of its keys. */
  private Result row(int... places) {
    return Result.create(
        Arrays.stream(places).mapToObj(place -> cell(keys.get(place), place)).toList());
  }

  private static Cell cell(long key, long value) {
    return new KeyValue(
        HistoryCells.row(key),
        HistoryCells.family(),
        HistoryCells.qualifier(key),
        7,
        HistoryCells.bytes(List.of(value)));
  }

  private static Table giving(Result... rows) {
    Iterator<Result> left = List.of(rows).iterator();
    ResultScanner scanner =
        fake(ResultScanner.class, (name) -> name.equals("iterator") ? left : null);
    return fake(Table.class, name -> name.equals("getScanner") ? scanner : null);
  }

  private interface Answers {
    Object to(String method);
  }

  private static <T> T fake(Class<T> type, Answers answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.to(method.getName())));
  }
}
