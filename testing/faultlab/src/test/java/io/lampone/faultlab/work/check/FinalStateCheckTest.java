package io.lampone.faultlab.work.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.faultlab.work.BankWorkload;
import io.lampone.faultlab.work.HistoryCells;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** The final content equals that of the last snapshot. */
class FinalStateCheckTest {

  private static final long KEY = 2;
  private static final byte[] REGISTER = HistoryCells.bytes(List.of(BankWorkload.OPENING_BALANCE));
  private static final byte[] BALANCE = Bytes.toBytes(BankWorkload.OPENING_BALANCE);

  private final FinalStateCheck look =
      new FinalStateCheck(
          WorkloadKind.ECONOMY, List.of(TableName.valueOf("t")), SystemClock.INSTANCE, false);

  private final String row = Bytes.toString(HistoryCells.row(KEY));

  private final FinalStateCheck.Seen seen =
      new FinalStateCheck.Seen(
          Map.of(KEY, List.of(BankWorkload.OPENING_BALANCE), 4L, List.of()),
          cells(
              Map.of(
                  "0/" + row + "/g:open", Bytes.toStringBinary(BALANCE),
                  "0/" + row + "/f:q0", Bytes.toStringBinary(REGISTER))));

  @Test
  void whatIsTheSameIsNoDifference() throws IOException {
    assertThat(compare(cell("open", BALANCE), cell("q0", REGISTER))).isEmpty();
  }

  @Test
  void aCellThatNoHistoryKnowsIsComparedToo() throws IOException {
    assertThat(compare(cell("q0", REGISTER)))
        .singleElement()
        .asString()
        .contains("g:open", "plain=nothing");
    assertThat(compare(cell("open", Bytes.toBytes(7L)), cell("q0", REGISTER))).hasSize(1);
    assertThat(compare(cell("open", BALANCE), cell("q0", REGISTER), cell("z", BALANCE)))
        .singleElement()
        .asString()
        .contains("has not seen it", "f:z");
  }

  @Test
  void aKeyThatIsGoneIsToldOnceAndATraceIsNamed() throws IOException {
    assertThat(compare(cell("open", BALANCE)))
        .singleElement()
        .asString()
        .contains("f:q0", "plain=nothing");
    assertThat(compare(cell("\0lp", BALANCE), cell("open", BALANCE), cell("q0", REGISTER)))
        .singleElement()
        .asString()
        .contains("a trace of a transaction");
  }

  @Test
  void aRowThatContradictsItselfIsFoundWhoeverReadsIt() {
    assertThat(wrong(WorkloadKind.ECONOMY, result(cell("q0", REGISTER)))).hasSize(1);
    assertThat(wrong(WorkloadKind.ECONOMY, result(cell("q0", REGISTER), cell("open", BALANCE))))
        .as("one of two columns is gone")
        .hasSize(1);
    assertThat(
            wrong(
                WorkloadKind.ECONOMY,
                result(cell("q0", REGISTER), cell("open", BALANCE), cell("twice", BALANCE))))
        .isEmpty();
    assertThat(
            wrong(
                WorkloadKind.COUNTER,
                result(cell("count", Bytes.toBytes(2L)), cell("q0", REGISTER))))
        .hasSize(1);
    assertThat(
            wrong(
                WorkloadKind.COUNTER,
                result(cell("count", Bytes.toBytes(1L)), cell("q0", REGISTER))))
        .isEmpty();
    assertThat(wrong(WorkloadKind.BANK, result(cell("q0", REGISTER)))).isEmpty();
  }

  private static List<String> wrong(WorkloadKind kind, Result row) {
    return kind.wrong(1, List.of(List.of(row)));
  }

  private List<String> compare(KeyValue... plain) throws IOException {
    ResultScanner scanner =
        fake(
            ResultScanner.class,
            name -> name.equals("iterator") ? List.of(result(plain)).iterator() : null);
    Table table = fake(Table.class, name -> name.equals("getScanner") ? scanner : null);
    return look.compare(
        fake(Connection.class, name -> name.equals("getTable") ? table : null), seen);
  }

  private static Result result(KeyValue... cells) {
    return Result.create(Arrays.<org.apache.hadoop.hbase.Cell>asList(cells));
  }

  private static KeyValue cell(String column, byte[] value) {
    return new KeyValue(
        HistoryCells.row(KEY),
        family(column),
        column.getBytes(StandardCharsets.ISO_8859_1),
        7,
        value);
  }

  private static byte[] family(String column) {
    return List.of("open", "twice").contains(column)
        ? HistoryCells.second()
        : HistoryCells.family();
  }

  private static SortedMap<String, String> cells(Map<String, String> cells) {
    return new TreeMap<>(cells);
  }

  private static <T> T fake(Class<T> type, Function<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.apply(method.getName())));
  }
}
