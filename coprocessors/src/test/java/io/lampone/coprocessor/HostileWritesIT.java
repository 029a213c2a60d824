package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.UndecidedIntents;
import io.lampone.protocol.trust.InspectionPass;
import io.lampone.protocol.trust.Proofs;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Scan;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** Writes of a hostile client: what is not stored, and what a stored flood costs others. */
@ExtendWith(ClusterExtension.class)
class HostileWritesIT {

  private static final Bytes F = Bytes.utf8("f");
  private static final Bytes Q = Bytes.utf8("q");

  private final TinyCluster cluster;
  private final Ticks ticks;
  private final long base;
  private TestTable table;

  HostileWritesIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.ticks = cluster.ticks();
    this.base = ticks.next();
  }

  @BeforeEach
  void createTable(TestInfo test) throws Exception {
    cluster.publish(Ticks.record(base, base));
    table = new TestTable(cluster.connection(), "h-" + test.getTestMethod().get().getName());
    table.createPlain(null, "f");
    table.enable(TestTable.enabled(ConflictLevel.ROW, base));
  }

  /** A stored leader is followed by every reader of the intent, with other rights. */
  @Test
  void aFlushThatNamesAPlaceThatCannotBe_isRefused_andLeavesNothing() throws Exception {
    Bytes row = Bytes.utf8("r1");
    RowFamily own = table.place(row, F);
    List<RowFamily> illegal =
        List.of(
            new RowFamily("", row, F),
            new RowFamily(":", row, F),
            new RowFamily("no table\n", row, F),
            new RowFamily("../../x", row, F),
            new RowFamily("hbase:meta", row, F),
            new RowFamily("t", Bytes.EMPTY, F));
    for (RowFamily place : illegal) {
      refused(Code.MALFORMED, () -> table.send(flush(place, row, Optional.empty())));
      FollowerList list = new FollowerList(List.of(place), true);
      refused(Code.MALFORMED, () -> table.send(flush(own, row, Optional.of(list))));
    }
    RowFamily noFamily = table.place(row, Bytes.utf8("none"));
    assertThatThrownBy(() -> table.send(flush(noFamily, row, Optional.empty())))
        .hasStackTraceContaining("NoSuchColumnFamilyException");
    Scan inspection = new Scan().addFamily(F.toArray());
    inspection.setAttribute(TableSettings.INSPECTION_ATTRIBUTE, InspectionPass.none());
    assertThat(TestTable.plainScan(cluster.connection(), table.name(), inspection)).isEmpty();
  }

  /** Each family delete would be done again to everything that earlier flushes have written. */
  @Test
  void aFlushWithADeleteOrAColumnTwice_isRefused() throws Exception {
    Bytes row = Bytes.utf8("r2");
    RowFamily own = table.place(row, F);
    IntentCell put = new IntentCell(1, IntentKind.PUT, Q, Bytes.utf8("v"));
    IntentCell delete = new IntentCell(1, IntentKind.DELETE_COLUMN, Q, Bytes.EMPTY);
    IntentCell all = new IntentCell(1, IntentKind.DELETE_FAMILY, Bytes.EMPTY, Bytes.EMPTY);
    IntentCell again = new IntentCell(1, IntentKind.DELETE_FAMILY, Q, Bytes.EMPTY);
    IntentCell noName = new IntentCell(1, IntentKind.PUT, Bytes.EMPTY, Bytes.utf8("v"));
    for (IntentCell second : List.of(put, delete)) {
      refused(
          Code.MALFORMED,
          () -> table.send(flush(own, row, Optional.empty(), List.of(put, second))));
    }
    for (IntentCell second : List.of(all, again)) {
      refused(
          Code.MALFORMED,
          () -> table.send(flush(own, row, Optional.empty(), List.of(all, second))));
    }
    IntentCell elsewhere = new IntentCell(2, IntentKind.PUT, Q, Bytes.utf8("v"));
    table.send(flush(own, row, Optional.empty(), List.of(all, put, noName, elsewhere)));
  }

  private Flush flush(RowFamily leader, Bytes row, Optional<FollowerList> followers) {
    return flush(
        leader, row, followers, List.of(new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8("v"))));
  }

  private Flush flush(
      RowFamily leader, Bytes row, Optional<FollowerList> followers, List<IntentCell> cells) {
    long start = ticks.next();
    return new Flush(
        start,
        base,
        ConflictLevel.ROW,
        leader,
        1,
        List.of(new RowIntents(row, List.of(new FamilyIntents(F, SlotSet.NONE, followers, cells)))),
        Proofs.OPEN.grant(start, 0));
  }

  /** However many lie ahead, the refusal is bounded, and so is the work for it. */
  @Test
  void aRefusalNamesSomeOfManyIntentsAhead() throws Exception {
    int intents = 2 * UndecidedIntents.MAX_INTENTS;
    for (int i = 0; i < intents; i++) {
      Bytes row = Bytes.utf8("many%03d".formatted(i));
      table.send(flush(table.place(row, F), row, Optional.empty()));
    }
    Scan scan = new Scan().withStartRow(Bytes.utf8("many").toArray());
    scan.setAttribute(ReadRequest.REFUSE_ATTRIBUTE, new byte[] {1});
    ReadRequest request = new ReadRequest(ticks.next(), false, base, SlotSet.NONE, Map.of());

    Refusal refusal = TestTable.refusalIn(catchThrowable(() -> table.scan(scan, request)));

    assertThat(refusal.code()).isEqualTo(Code.UNDECIDED);
    assertThat(UndecidedIntents.in(refusal).all())
        .hasSizeBetween(64, UndecidedIntents.MAX_INTENTS)
        .extracting(met -> met.row().toUtf8())
        .first()
        .isEqualTo("many000");
  }

  private static void refused(Code code, ThrowingCallable call) {
    Throwable failure = catchThrowable(call);
    assertThat(TestTable.refusalIn(failure))
        .as("%s", failure)
        .isNotNull()
        .extracting(Refusal::code)
        .isEqualTo(code);
  }
}
