package io.lampone.coprocessor.core;

import static io.lampone.coprocessor.core.FastServer.delete;
import static io.lampone.coprocessor.core.FastServer.deleteFamily;
import static io.lampone.coprocessor.core.FastServer.put;
import static io.lampone.coprocessor.core.FastServer.t;
import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static io.lampone.coprocessor.core.intent.MemoryRow.ROW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.coprocessor.core.clock.InFlightWrites;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.visibility.Certification;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.trust.IssueProof;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Certification of what a transaction with snapshot 10 and commit timestamp 100 has read, at a
 * server whose clock is at 20: a write is born above 20 unless the certification raises the clock.
 */
class CertificationTest {

  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");
  private static final long START = t(10);
  private static final long COMMIT = t(100);
  private static final Map<Bytes, Set<Bytes>> CELL_A = Map.of(F, Set.of(A));

  private FastServer server = serverAt(ConflictLevel.ROW, 20);
  private final MemoryRow row = new MemoryRow();

  private Runnable whileItWaits = () -> {};
  private Runnable beforeItLooks = () -> {};
  private boolean hasSession = true;
  private long safePoint = t(5);
  private long tableFloor = t(1);

  private static FastServer serverAt(ConflictLevel level, int tick) {
    FastServer server = new FastServer(level);
    server.clock.bump(t(tick));
    return server;
  }

  @Test
  void whatIsBornInBetweenIsFoundInWhateverFamily() throws IOException {
    long born = write(new Mutation(put(B, "v").kind(), G, B, Bytes.utf8("v")));
    assertThat(certify(CELL_A)).isEqualTo(born);
  }

  @Test
  void nothingBornIsUnchanged() throws IOException {
    assertThat(certify(CELL_A)).isZero();
    assertThat(server.clock.current()).as("it has raised the clock").isEqualTo(COMMIT);
  }

  @Test
  void whatIsBornBeforeAndAfterIsNot() throws IOException {
    row.put(F, A, t(9) + 128, Bytes.utf8("before"));
    row.put(F, A, t(100) + 128, Bytes.utf8("after"));
    server.region.recent().drawn(ROW, t(100) + 128);
    assertThat(certify(CELL_A)).isZero();
  }

  /** What was drawn last is above the commit timestamp, and hides what was drawn before it. */
  @Test
  void theNewestBirthIsNotTheOnlyOne() throws IOException {
    long born = write(put(A, "in between"));
    server.clock.bump(t(200));
    assertThat(write(put(A, "after"))).isGreaterThan(COMMIT);
    assertThat(certify(CELL_A)).isEqualTo(born);
  }

  /** The region was opened after the snapshot: only the cells can tell. */
  @Test
  void whereNoDrawIsRememberedTheCellsTell() throws IOException {
    server.region.recent().openedBelow(t(50));
    assertThat(certify(CELL_A)).isZero();
    row.put(F, B, t(30) + 128, Bytes.utf8("v"));
    assertThat(certify(CELL_A)).isEqualTo(t(30) + 128);
  }

  /** The transaction manager finds those. */
  @Test
  void regularWritersAreNotLookedFor() throws IOException {
    server.region.recent().openedBelow(t(50));
    row.put(F, A, t(30), Bytes.utf8("v"))
        .put(
            F,
            t(30),
            TransactionCell.follower(new RowFamily("t", ROW, G), 1)
                .withState(TransactionState.COMMITTED, t(40)));
    assertThat(certify(CELL_A)).isZero();
  }

  @Test
  void atLevelCellOnlyWhatWasReadCounts() throws IOException {
    server = serverAt(ConflictLevel.CELL, 20);
    write(put(B, "v"));
    assertThat(certify(CELL_A)).isZero();
    assertThat(certify(Map.of(G, Set.of()))).isZero();
    assertThat(certify(Map.of(F, Set.of()))).as("the whole family").isNotZero();
    assertThat(certify(Map.of(G, Set.of(), F, Set.of(A, B)))).isNotZero();
  }

  @Test
  void atLevelCellDeletesCount() throws IOException {
    server = serverAt(ConflictLevel.CELL, 20);
    row.put(F, A, t(5) + 128, Bytes.utf8("old"));
    long deleted = write(delete(A));
    long familyDeleted = write(deleteFamily(G));
    assertThat(certify(CELL_A)).isEqualTo(deleted);
    assertThat(certify(Map.of(F, Set.of(B)))).isZero();
    assertThat(certify(Map.of(F, Set.of()))).isEqualTo(deleted);
    assertThat(certify(Map.of(G, Set.of(B)))).isEqualTo(familyDeleted);
  }

  /** F has drawn below the commit timestamp, and its cells become visible after the look. */
  @Test
  void z3_whatHasBeenDrawnIsWaitedFor() throws IOException {
    InFlightWrites.Write writing = server.region.inFlight().register(List.of(ROW));
    long drawn = server.clock.next(0);
    server.region.recent().drawn(ROW, drawn);
    writing.drawn(drawn);
    assertThat(drawn).isLessThan(COMMIT);
    whileItWaits =
        () -> {
          row.put(F, A, drawn, Bytes.utf8("v"));
          writing.end();
        };
    assertThat(certify(CELL_A)).isEqualTo(drawn);
  }

  /** The same before it has drawn: it may still get a version below. */
  @Test
  void z3_whatHasRegisteredIsWaitedFor() throws IOException {
    InFlightWrites.Write writing = server.region.inFlight().register(List.of(ROW));
    boolean[] waited = new boolean[1];
    whileItWaits =
        () -> {
          waited[0] = true;
          writing.end();
        };
    certify(CELL_A);
    assertThat(waited[0]).isTrue();
  }

  /** F draws while the certification looks. */
  @Test
  void z4_nothingIsBornBelowTheCommitTimestampFromTheLookOn() throws IOException {
    long[] born = new long[1];
    beforeItLooks = () -> born[0] = server.clock.next(0);
    assertThat(certify(CELL_A)).isZero();
    assertThat(born[0]).isGreaterThan(COMMIT);
  }

  /** The server where the region is next has a tick that it asked for after the opening. */
  @Test
  void z5_afterAMoveNothingIsBornBelowEither() throws IOException {
    assertThat(certify(CELL_A)).isZero();
    server = new FastServer(ConflictLevel.ROW);
    server.clock.supply(new long[] {t(101), t(102)}); // the commit timestamp had been issued
    server.region.recent().openedBelow(t(101));
    long born = server.clock.next(0);
    assertThat(born).isGreaterThan(COMMIT);
    server.region.recent().drawn(ROW, born);
    row.put(F, A, born, Bytes.utf8("v"));
    assertThat(certify(CELL_A)).as("a repetition there").isZero();
  }

  /** The region may have been opened elsewhere meanwhile. */
  @Test
  void z6_aServerThatLosesItsSessionWhileItLooksGivesNoAnswer() {
    beforeItLooks = () -> hasSession = false;
    refused(Code.SESSION_UNPROVEN);
  }

  /** A birth above the snapshot was overwritten, and collected before the look. */
  @Test
  void z9_whatIsBelowTheSafePointAfterTheLookIsRefused() {
    beforeItLooks = () -> safePoint = t(60);
    refused(Code.BELOW_SAFE_POINT);
  }

  /** The table went plain, was restored, or changed its level. */
  @Test
  void z26_whatIsBelowTheTablesFloorAfterTheLookIsRefused() {
    beforeItLooks = () -> tableFloor = t(60);
    refused(Code.BELOW_SAFE_POINT);
  }

  private void refused(Code code) {
    assertThatExceptionOfType(Refused.class)
        .isThrownBy(() -> certify(CELL_A))
        .matches(refused -> refused.refusal().code() == code);
  }

  private long write(Mutation mutation) throws IOException {
    Outcome outcome = server.run(server.blind(row, mutation), row);
    assertThat(outcome.kind()).isEqualTo(Kind.COMMITTED);
    return outcome.version();
  }

  private long certify(Map<Bytes, Set<Bytes>> read) throws IOException {
    CertifyRequest request = new CertifyRequest(START, COMMIT, t(1), server.level, IssueProof.NONE);
    return new Certification(request, read, new Looked(), new Guards()).changedAt();
  }

  private final class Looked implements Certification.Row {

    @Override
    public void awaitWrites(long timestamp) {
      if (!server.region.inFlight().isRowClear(ROW, timestamp)) {
        whileItWaits.run();
      }
      server.region.inFlight().awaitRow(ROW, timestamp);
    }

    @Override
    public long bornAbove(long timestamp) {
      beforeItLooks.run();
      return server.region.recent().bornAbove(ROW, timestamp);
    }

    @Override
    public StoredRow stored() {
      return row;
    }

    @Override
    public void requireAboveFloor(long snapshot) {
      require(snapshot >= tableFloor, Code.BELOW_SAFE_POINT);
    }
  }

  private final class Guards extends OpenGuards {

    @Override
    public void bump(long timestamp) {
      server.clock.bump(timestamp);
    }

    @Override
    public void requireReadable(long snapshot) {
      require(snapshot >= safePoint, Code.BELOW_SAFE_POINT);
    }

    @Override
    public void requireSession() {
      require(hasSession, Code.SESSION_UNPROVEN);
    }
  }

  private static void require(boolean holds, Code code) {
    if (!holds) {
      throw Refused.because(code, "for a test");
    }
  }
}
