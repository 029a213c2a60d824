package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.ScannerBook.Checked;
import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.clock.InFlightWrites.Write;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.coprocessor.write.FastWrites;
import io.lampone.coprocessor.write.RegionWrites;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks of requests against the state of a region and its table. */
class RequestChecksTest {

  private static final long MILLIS = 1_700_000_000_000L;
  private static final long FLOOR = t(10);
  private static final long SCHEMA_FLOOR = t(20);
  private static final Bytes ROW = Bytes.utf8("row");
  private static final Bytes F = Bytes.utf8("f");

  @TempDir private Path folder;

  private final Guards guards = new Guards();
  private LocalRegion region;
  private SnapshotReads reads;

  @BeforeEach
  void open() throws IOException {
    region =
        new LocalRegion(folder, LocalRegion.table(FLOOR, SCHEMA_FLOOR, "f", "g").build(), guards);
    reads = new SnapshotReads(region.open(), new CoprocessorChain(region.open()));
  }

  @AfterEach
  void close() throws IOException {
    region.close();
  }

  /** The client does not know the second family, whose cells it would leave in the row. */
  @Test
  void aRowDeleteOfAnotherNumberOfFamiliesIsRefused() {
    RegionWrites writes = new RegionWrites(region.open(), region.permissions());
    guards.isAdmitting = false;
    refused(Code.LEVEL_MISMATCH, () -> writes.execute(rowDelete(1)));
    refused(Code.NOT_READY, () -> writes.execute(rowDelete(2)));
  }

  @Test
  void aOneRegionCommitThatBeganBeforeAnIndexWasAddedIsRefused() {
    FastWrites writes = new FastWrites(region.open(), region.permissions());
    guards.isAdmitting = false;
    refused(Code.BELOW_FLOOR, () -> writes.execute(commit(SCHEMA_FLOOR - Timestamps.TICK)));
    refused(Code.NOT_READY, () -> writes.execute(commit(SCHEMA_FLOOR)));
  }

  /** What is visible at the read point of the earlier scanner may have been collected. */
  @Test
  void aScanThatIsOpenedAgainReadsAtANewReadPoint() throws Exception {
    Scan scan = new Scan();
    PackagePrivateFieldAccessor.setMvccReadPoint(scan, 7);
    reads.beforeScan(scan, at(t(30)));
    assertThat(PackagePrivateFieldAccessor.getMvccReadPoint(scan)).isEqualTo(-1);
  }

  /** This write never ends, and the scan is refused instead of waiting. */
  @Test
  void aScanWaitsForTheFastWritesBelowItsSnapshot() {
    Write write = region.open().fast().inFlight().register(List.of(ROW));
    write.drawn(t(25));
    write.doubt();
    refused(Code.NOT_READY, () -> reads.beforeScan(new Scan(), at(t(30))));
    assertThatCode(() -> reads.beforeScan(new Scan(), at(t(25)))).doesNotThrowAnyException();
  }

  @Test
  void aBatchOfAScanIsRefusedWhenTheSafePointHasPassedItsSnapshot() {
    Checked scan = new Checked(t(30), false, null);
    assertThatCode(() -> reads.afterBatch(scan)).doesNotThrowAnyException();
    guards.safePoint = t(31);
    refused(Code.BELOW_SAFE_POINT, () -> reads.afterBatch(scan));
  }

  @Test
  void aSnapshotBelowTheFloorOfTheTableIsRefused() {
    refused(
        Code.BELOW_SAFE_POINT,
        () -> reads.afterBatch(new Checked(FLOOR - Timestamps.TICK, false, null)));
    assertThatCode(() -> reads.afterBatch(new Checked(FLOOR, false, null)))
        .doesNotThrowAnyException();
  }

  /** An absent leader stays absent: the server refuses leaders below the floor of the reader. */
  @Test
  void aReadOfALeaderRequiresTheFloorOfItsReader() throws Exception {
    region.read().record(record(t(15)), MILLIS);
    LeaderReads leaders = new LeaderReads(region.open());
    Get get = new Get(ROW.toArray());
    refused(Code.NOT_READY, () -> leaders.answer(get, new LeaderReadRequest(t(12), t(16), F)));
    assertThat(leaders.answer(get, new LeaderReadRequest(t(12), t(15), F))).isNotNull();
  }

  /** The version tells when columns change that the filter of an authorizer hides. */
  @Test
  void aVersionOfColumnsThatTheReaderMayNotReadIsRefused() {
    region
        .region()
        .setCoprocessorHost(
            new RegionCoprocessorHost(region.region(), null, HBaseConfiguration.create()) {
              @Override
              public boolean preGet(Get get, List<Cell> results) {
                get.setFilter(new FirstKeyOnlyFilter());
                return false;
              }
            });
    FastReadHandler handler = new FastReadHandler(region.open(), reads);
    Get restricted = new Get(ROW.toArray()).addFamily(F.toArray());
    restricted.setFilter(new FirstKeyOnlyFilter());
    assertThatThrownBy(() -> handler.answer(restricted, FastReadRequest.of(0, 0, true)))
        .isInstanceOf(AccessDeniedException.class);
  }

  private static Flush rowDelete(int families) {
    IntentCell delete =
        new IntentCell(0, IntentKind.DELETE_FAMILY, Bytes.EMPTY, IntentCell.deletingRow(families));
    return new Flush(
        t(30),
        0,
        ConflictLevel.ROW,
        new RowFamily("t", ROW, F),
        1,
        intents(delete),
        Proofs.OPEN.grant(t(30), 0));
  }

  private static OneRegionCommit commit(long start) {
    IntentCell put = new IntentCell(0, IntentKind.PUT, Bytes.utf8("q"), Bytes.utf8("v"));
    return new OneRegionCommit(
        start, 0, 0, ConflictLevel.ROW, false, intents(put), Proofs.OPEN.grant(start, 0));
  }

  private static List<RowIntents> intents(IntentCell cell) {
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cell));
    return List.of(new RowIntents(ROW, List.of(family)));
  }

  private static ReadRequest at(long snapshot) {
    return new ReadRequest(snapshot, false, 0, SlotSet.NONE, Map.of());
  }

  private static ManagerRecord record(long floor) {
    return new ManagerRecord(
        1, "t", "", 1, 1, false, t(100), floor, 0, Optional.empty(), Optional.empty());
  }

  private static long t(int number) {
    return Timestamps.ceilingOfMillis(MILLIS) + number * Timestamps.TICK;
  }

  private static void refused(Code code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(code));
  }

  /** Guards that admit requests while {@code isAdmitting} is true. */
  private static final class Guards extends OpenGuards {

    private boolean isAdmitting = true;
    private long safePoint;

    @Override
    public void requireKnown(long floor) {
      if (!isAdmitting) {
        throw Refused.because(Code.NOT_READY, "a test");
      }
    }

    @Override
    public void requireReadable(long snapshot) {
      if (snapshot < safePoint) {
        throw Refused.because(Code.BELOW_SAFE_POINT, "a test");
      }
    }
  }
}
