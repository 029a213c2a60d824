package io.lampone.tm.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.HotRow;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Hot rows of several clients in one list. */
final class HotRowTableTest {

  private final HotRowTable table = new HotRowTable();

  @Test
  void conflictsOfAllClientsAreAdded_andLosersAreNamed() {
    table.add("alice", "/a:1", List.of(row("r", 3, 512), row("s", 9, 256)));
    table.add("bob", "/b:1", List.of(row("r", 8, 768)));
    assertThat(Json.object(table::writeTo))
        .isEqualTo(
            "{\"hotRows\":[{\"kind\":\"write-write\",\"table\":\"t\",\"row\":\"r\","
                + "\"conflicts\":11,\"lastWinner\":768,\"losers\":["
                + "{\"principal\":\"bob\",\"remote\":\"/b:1\",\"conflicts\":8},"
                + "{\"principal\":\"alice\",\"remote\":\"/a:1\",\"conflicts\":3}]},"
                + "{\"kind\":\"write-write\",\"table\":\"t\",\"row\":\"s\",\"conflicts\":9,"
                + "\"lastWinner\":256,\"losers\":["
                + "{\"principal\":\"alice\",\"remote\":\"/a:1\",\"conflicts\":9}]}]}");
  }

  @Test
  void theListIsLimitedHoweverMuchClientsReport() {
    for (int i = 0; i < 2 * HotRowTable.MAX_MERGED; i++) {
      table.add("p" + i, "/a:1", List.of(row("r" + i % 100, 1, 256)));
    }
    String written = Json.object(table::writeTo);
    assertThat(written.split("\"row\":")).hasSize(HotRowTable.MAX_LISTED + 1);
    assertThat(written.split("\"principal\":"))
        .hasSize(HotRowTable.MAX_LISTED * HotRowTable.MAX_LOSERS + 1);
    assertThat(written).contains("\"conflicts\":" + HotRowTable.MAX_MERGED / 100 + ",");
  }

  private static HotRow row(String row, int conflicts, long winner) {
    return new HotRow("write-write", "t", row, conflicts, winner);
  }
}
