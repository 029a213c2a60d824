package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.hbase.TableRetention;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.junit.jupiter.api.Test;

class ReadOptionsTest {

  private static final TableRetention RETENTION =
      TableRetention.of(TableDescriptorBuilder.newBuilder(TableName.valueOf("t")).build());

  @Test
  void anOffsetSkipsAsManyCellsOfARowAsItSays() {
    ReadOptions options = ReadOptions.of(new Scan().setRowOffsetPerColumnFamily(2), RETENTION);
    assertThat(codes(options, ReturnCode.INCLUDE))
        .containsExactly(ReturnCode.SKIP, ReturnCode.SKIP, ReturnCode.INCLUDE, ReturnCode.INCLUDE);
    assertThat(codes(options, ReturnCode.INCLUDE_AND_NEXT_COL))
        .containsExactly(
            ReturnCode.NEXT_COL,
            ReturnCode.NEXT_COL,
            ReturnCode.INCLUDE_AND_NEXT_COL,
            ReturnCode.INCLUDE_AND_NEXT_COL);
  }

  @Test
  void aLimitCountsFromTheOffset() {
    Scan scan = new Scan().setRowOffsetPerColumnFamily(1).setMaxResultsPerColumnFamily(2);
    assertThat(codes(ReadOptions.of(scan, RETENTION), ReturnCode.INCLUDE))
        .startsWith(ReturnCode.SKIP, ReturnCode.INCLUDE, ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW);
  }

  /** Returns what becomes of four cells of a row. */
  private static ReturnCode[] codes(ReadOptions options, ReturnCode code) {
    return IntStream.rangeClosed(1, 4)
        .mapToObj(shown -> options.limited(code, shown))
        .toArray(ReturnCode[]::new);
  }
}
