package io.lampone.tm.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.HotRow;
import io.lampone.tm.command.HotRowReport.Loser;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Hot rows of several clients in one list. */
final class HotRowTableTest {

  private final HotRowTable table = new HotRowTable();

  @Test
  void conflictsOfAllClientsAreAdded_andLosersAreNamed() {
    table.add("alice", "/a:1", List.of(row("r", 3, 512), row("s", 9, 256)));
    table.add("bob", "/b:1", List.of(row("r", 8, 768)));
    assertThat(table.hottest())
        .containsExactly(
            new HotRowReport(
                "write-write",
                "t",
                "r",
                11,
                768,
                List.of(new Loser("bob", "/b:1", 8), new Loser("alice", "/a:1", 3))),
            new HotRowReport(
                "write-write", "t", "s", 9, 256, List.of(new Loser("alice", "/a:1", 9))));
  }

  @Test
  void theListIsLimitedHoweverMuchClientsReport() {
    for (int i = 0; i < 2 * HotRowTable.MAX_MERGED; i++) {
      table.add("p" + i, "/a:1", Collections.nCopies(1, row("r" + i % 100, 1, 256)));
    }
    List<HotRowReport> hottest = table.hottest();
    assertThat(hottest).hasSize(HotRowTable.MAX_LISTED);
    assertThat(hottest.get(0).conflicts()).isEqualTo(HotRowTable.MAX_MERGED / 100);
    assertThat(hottest.get(0).losers()).hasSize(HotRowTable.MAX_LOSERS);
  }

  private static HotRow row(String row, int conflicts, long winner) {
    return new HotRow("write-write", "t", row, conflicts, winner);
  }
}
