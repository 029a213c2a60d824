package io.lampone.faultlab.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ListKeysTest {

  /** Enough draws to meet each of a few keys. */
  private static final int DRAWS = 2_000;

  private static final int FULL = 80;

  @Test
  void inTwoTablesTheSameCellsAreInUseAndOneIsThePartnerOfTheOther() {
    ListKeys keys = new ListKeys(2);
    Set<Long> drawn = draw(keys);
    for (long key : drawn) {
      assertThat(drawn).contains(keys.partner(key));
      assertThat(HistoryCells.row(keys.partner(key))).isEqualTo(HistoryCells.row(key));
      assertThat(HistoryCells.qualifier(keys.partner(key))).isEqualTo(HistoryCells.qualifier(key));
      assertThat(HistoryCells.table(keys.partner(key))).isEqualTo(1 - HistoryCells.table(key));
    }
  }

  @Test
  void inOneTableTheOtherKeyOfTheRowIsThePartner() {
    ListKeys keys = new ListKeys(1);
    assertThat(draw(keys))
        .allMatch(
            key -> HistoryCells.table(key) == 0 && keys.partner(key) == ListKeys.neighbour(key));
  }

  @Test
  void aRowStandsWithAnotherOneInTheSameGroup() {
    ListKeys keys = new ListKeys(1);
    Set<Long> drawn = draw(keys);
    for (long key : drawn) {
      long below = ListKeys.below(key);
      assertThat(drawn).contains(below);
      assertThat(below / HistoryCells.GROUP).isEqualTo(key / HistoryCells.GROUP);
      assertThat(HistoryCells.row(below)).isNotEqualTo(HistoryCells.row(key));
    }
  }

  @Test
  void aGroupIsBothRowsInEachTable() {
    for (int tables : new int[] {1, 2}) {
      ListKeys keys = new ListKeys(tables);
      long key = HistoryCells.lone(3, 1) ^ 2;
      assertThat(keys.group(key))
          .hasSize(4 * tables)
          .doesNotHaveDuplicates()
          .contains(key, HistoryCells.in(tables - 1, key), ListKeys.below(key))
          .allMatch(each -> HistoryCells.in(0, each) / HistoryCells.GROUP == 3);
    }
  }

  @Test
  void whenAListIsLongItsRowsAreLeftInBothTables() {
    ListKeys keys = new ListKeys(2);
    long twin = HistoryCells.in(1, HistoryCells.lone(0, 0));
    assertThat(draw(keys)).contains(twin);
    keys.saw(twin, FULL - 1);
    assertThat(draw(keys)).contains(twin);
    keys.saw(twin, FULL);
    assertThat(draw(keys))
        .doesNotContain(
            twin, HistoryCells.in(0, twin), ListKeys.neighbour(twin), ListKeys.below(twin))
        .hasSize(48);
  }

  private static Set<Long> draw(ListKeys keys) {
    Random random = new Random(1);
    Set<Long> drawn = new HashSet<>();
    for (int i = 0; i < DRAWS; i++) {
      drawn.add(keys.any(random));
    }
    return drawn;
  }
}
