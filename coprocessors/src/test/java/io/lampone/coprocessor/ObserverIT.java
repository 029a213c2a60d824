package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.ReadRequest;
import io.lampone.protocol.RegionReply.Outcome;
import io.lampone.protocol.RegionRequest.CommitLeader;
import io.lampone.protocol.RegionRequest.FamilyIntents;
import io.lampone.protocol.RegionRequest.Flush;
import io.lampone.protocol.RegionRequest.IntentCell;
import io.lampone.protocol.RegionRequest.IntentKind;
import io.lampone.protocol.RegionRequest.RowIntents;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ClusterExtension.class)
class ObserverIT {

  private static final Bytes F = Bytes.utf8("f");
  private static final Bytes Q = Bytes.utf8("q");

  private final TinyCluster cluster;
  private final Ticks ticks = new Ticks();
  private TestTable table;

  ObserverIT(TinyCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void createTable(TestInfo test) throws Exception {
    cluster.publish(Ticks.record(Ticks.BASE, Ticks.BASE));
    table = new TestTable(cluster.connection(), "o-" + test.getTestMethod().get().getName());
    table.createPlain(null, "f", "g");
    table.enable(TestTable.enabled(ConflictLevel.ROW, Ticks.BASE));
  }

  @Test
  void aCommittedWriteIsReadAtLaterSnapshotsOnly() throws Exception {
    long start = ticks.next();
    Bytes row = Bytes.utf8("r1");
    assertThat(table.sendOne(put(start, 1, row, "v1")).applied()).isTrue();
    long commit = ticks.next();
    Outcome outcome = table.sendOne(new CommitLeader(start, Ticks.BASE, row, F, commit));
    assertThat(outcome.is(TransactionState.COMMITTED)).isTrue();
    assertThat(read(row, ticks.next())).containsExactly("v1");
    assertThat(read(row, commit)).isEmpty();
  }

  private List<String> read(Bytes row, long snapshot) throws Exception {
    List<Cell> cells =
        table.get(
            new Get(row.toArray()),
            new ReadRequest(snapshot, false, Ticks.BASE, SlotSet.NONE, Map.of()));
    return cells.stream()
        .map(
            cell ->
                Carrier.isPointer(cell)
                    ? "pointer " + (cell.getTimestamp() - Ticks.BASE)
                    : Bytes.wrap(CellUtil.cloneValue(cell)).toUtf8())
        .toList();
  }

  private Flush put(long start, long number, Bytes row, String value) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8(value));
    return flush(start, number, table.place(row, F).row(), row, cell);
  }

  private Flush flush(long start, long number, Bytes leader, Bytes row, IntentCell... cells) {
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cells));
    return new Flush(
        start,
        Ticks.BASE,
        ConflictLevel.ROW,
        table.place(leader, F),
        number,
        List.of(new RowIntents(row, List.of(family))));
  }
}
