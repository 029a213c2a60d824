package io.lampone.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.sql.IndexComparison.Result;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.phoenix.schema.types.PDecimal;
import org.apache.phoenix.schema.types.PLong;
import org.apache.phoenix.schema.types.PVarchar;
import org.junit.jupiter.api.Test;

class IndexComparisonTest {

  private static List<Object> row(Object... values) {
    return Arrays.asList(values);
  }

  @SafeVarargs
  private static IndexComparison.Rows rows(List<Object>... all) {
    Iterator<List<Object>> next = List.of(all).iterator();
    return () -> next.hasNext() ? next.next() : null;
  }

  private static Result compare(IndexComparison.Rows table, IndexComparison.Rows index)
      throws SQLException {
    return new IndexComparison(
            1,
            List.of(PVarchar.INSTANCE, PLong.INSTANCE),
            List.of(PVarchar.INSTANCE, PDecimal.INSTANCE))
        .compare("i", table, index);
  }

  @Test
  void equalValuesOfTwoTypesAgree_alsoNulls() throws SQLException {
    Result result =
        compare(rows(row("a", 1L), row("b", null)), rows(row("a", BigDecimal.ONE), row("b", null)));
    assertThat(result.consistent()).isTrue();
    assertThat(result.rows()).isEqualTo(2);
  }

  @Test
  void missingSurplusAndDifferentRowsAreTold() throws SQLException {
    Result result =
        compare(
            rows(row("a", 1L), row("b", 2L), row("d", 4L)),
            rows(row("b", null), row("c", null), row("d", new BigDecimal(4)), row("e", null)));
    assertThat(result)
        .isEqualTo(
            new Result(
                "i",
                "ACTIVE",
                3,
                1,
                2,
                1,
                List.of(
                    "missing [a, 1]",
                    "different [b, 2] [b, null]",
                    "surplus [c, null]",
                    "surplus [e, null]")));
  }

  @Test
  void textsAreInTheOrderOfTheirBytes() throws SQLException {
    String high = "\uffff";
    String higher = "\ud83d\ude00";
    Result result =
        compare(rows(row(high, 1L), row(higher, 1L)), rows(row(higher, BigDecimal.ONE)));
    assertThat(result.missing()).isEqualTo(1);
    assertThat(result.surplus()).isZero();
  }
}
