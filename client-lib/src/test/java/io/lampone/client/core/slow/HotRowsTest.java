package io.lampone.client.core.slow;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.tm.HotRow;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The most frequent rows of many, in little memory. */
final class HotRowsTest {

  private static final long PERIOD = HotRows.PERIOD.toNanos();

  private final HotRows rows = new HotRows(true);

  @Test
  void withoutConflictsThereAreNone() {
    assertThat(rows.list(5 * PERIOD)).isEmpty();
  }

  @Test
  void theHottestIsFirstAndNamesItsLastWinner() {
    conflict("cold", 7, 0);
    conflict("hot", 8, 1);
    conflict("hot", 9, 2);
    rows.conflict("range", "t", Bytes.utf8("hot"), 5, 3);
    assertThat(rows.list(4))
        .startsWith(new HotRow("write-write", "t", "hot", 2, 9))
        .contains(
            new HotRow("range", "t", "hot", 1, 5), new HotRow("write-write", "t", "cold", 1, 7));
  }

  /** Whatever comes between, a row with more than a 64th of the conflicts is not lost. */
  @Test
  void frequentRowsSurviveManyRareOnes() {
    Random random = new Random(1);
    int hot = 0;
    for (int i = 0; i < 20_000; i++) {
      boolean one = random.nextInt(10) == 0;
      hot += one ? 1 : 0;
      conflict(one ? "hot" : "rare" + i, i, 0);
    }
    List<HotRow> listed = rows.list(0);
    assertThat(listed).hasSize(HotRow.MAX_LISTED);
    assertThat(listed.get(0).row()).isEqualTo("hot");
    assertThat(listed.get(0).conflicts())
        .as("a lower bound")
        .isBetween(hot - 20_000 / HotRows.CAPACITY, hot);
    assertThat(listed.get(1).conflicts()).as("rare rows inherit nothing").isEqualTo(1);
  }

  @Test
  void aRowIsForgottenAfterTwoPeriods() {
    conflict("a", 1, 0);
    conflict("a", 2, PERIOD + 1);
    conflict("b", 3, PERIOD + 2);
    assertThat(rows.list(2 * PERIOD))
        .containsExactly(
            new HotRow("write-write", "t", "a", 2, 2), new HotRow("write-write", "t", "b", 1, 3));
    assertThat(rows.list(2 * PERIOD + 1)).extracting(HotRow::conflicts).containsExactly(1, 1);
    assertThat(rows.list(3 * PERIOD + 1)).isEmpty();
    conflict("c", 4, 9 * PERIOD);
    assertThat(rows.list(9 * PERIOD + 1)).hasSize(1);
    assertThat(rows.list(12 * PERIOD)).as("both periods have passed unseen").isEmpty();
  }

  @Test
  void rowsAreEscapedAndCut_andLeftOutIfNotDisclosed() {
    rows.conflict("range", "t", Bytes.of(new byte[] {0, 'a', '\n', 27, -1}), 1, 0);
    rows.conflict("range", "u", Bytes.utf8("x".repeat(1000)), 1, 0);
    rows.conflict("range", "u", Bytes.utf8("x".repeat(30_000)), 1, 0);
    assertThat(rows.list(0))
        .extracting(HotRow::row)
        .containsExactlyInAnyOrder("\\x00a\\x0A\\x1B\\xFF", "x".repeat(95));
    HotRows tables = new HotRows(false);
    tables.conflict("range", "t", Bytes.utf8("secret"), 1, 0);
    tables.conflict("range", "t", Bytes.utf8("another"), 2, 0);
    assertThat(tables.list(0)).containsExactly(new HotRow("range", "t", "", 2, 2));
  }

  private void conflict(String row, long winner, long nanos) {
    rows.conflict("write-write", "t", Bytes.utf8(row), winner, nanos);
  }
}
