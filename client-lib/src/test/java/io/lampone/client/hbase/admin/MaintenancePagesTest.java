package io.lampone.client.hbase.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** Reading of a table that is being changed, page by page. */
class MaintenancePagesTest {

  private static final TableName TABLE = TableName.valueOf("t");
  private static final int PAGE_BYTES = 4 << 20;

  private final StoredTables tables = new StoredTables();

  /** The last page of a table is the empty one. */
  @Test
  void aPageThatIsShortBecauseOfItsBytesIsNotTheLastOne() throws Exception {
    byte[] half = new byte[PAGE_BYTES / 2];
    List<String> all = IntStream.range(0, 5).mapToObj(i -> "r" + i).toList();
    for (String row : all) {
      byte[] key = row.getBytes(UTF_8);
      tables.add(TABLE, new KeyValue(key, StoredTables.FAMILY, key, 1, half));
    }
    List<String> seen = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();

    tables
        .pages()
        .forEach(
            "Reading",
            TABLE,
            rows -> {
              sizes.add(rows.size());
              rows.forEach(row -> seen.add(Bytes.toString(row.getRow())));
            });

    assertThat(sizes).containsExactly(2, 2, 1);
    assertThat(seen).isEqualTo(all);
  }
}
