package io.lampone.client.hbase.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer.ScanController;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer.ScanResumer;
import org.apache.hadoop.hbase.client.Cursor;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class RowPageTest {

  private static final int VALUE_BYTES = 1_000;

  private final List<String> asked = new ArrayList<>();

  private final ScanController controller =
      new ScanController() {
        @Override
        public ScanResumer suspend() {
          throw new UnsupportedOperationException();
        }

        @Override
        public void terminate() {
          asked.add("terminate");
        }

        @Override
        public Optional<Cursor> cursor() {
          return Optional.empty();
        }
      };

  @Test
  void aPageEndsWithTheRowThatMakesItLargeEnough() {
    RowPage page = new RowPage(3 * VALUE_BYTES, row -> row);
    page.onNext(rows(0, 2), controller);
    assertThat(page.rows()).isNotDone();
    page.onNext(rows(2, 9), controller);
    assertThat(page.rows())
        .isCompletedWithValueMatching(rows -> keys(rows).equals(List.of("r0", "r1", "r2")));
    assertThat(asked).containsExactly("terminate");
    page.onComplete();
    assertThat(keys(page.rows().join())).hasSize(3);
  }

  @Test
  void whatIsNotKeptDoesNotCount() {
    RowPage page =
        new RowPage(
            2 * VALUE_BYTES,
            row -> Bytes.toString(row.getRow()).equals("r8") ? row : Result.EMPTY_RESULT);
    page.onNext(rows(0, 9), controller);
    assertThat(asked).isEmpty();
    page.onComplete();
    assertThat(keys(page.rows().join())).containsExactly("r8");
  }

  @Test
  void aFailureIsThatOfThePage() {
    RowPage page = new RowPage(VALUE_BYTES, row -> row);
    page.onError(new IOException("lost"));
    assertThat(page.rows()).isCompletedExceptionally();
  }

  private static List<String> keys(List<Result> rows) {
    return rows.stream().map(row -> Bytes.toString(row.getRow())).toList();
  }

  private static Result[] rows(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(
            i ->
                Result.create(
                    List.of(
                        new KeyValue(
                            Bytes.toBytes("r" + i),
                            Bytes.toBytes("f"),
                            Bytes.toBytes("q"),
                            1,
                            new byte[VALUE_BYTES]))))
        .toArray(Result[]::new);
  }
}
