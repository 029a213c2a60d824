package io.lampone.coprocessor.core;

import static io.lampone.coprocessor.core.FastServer.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.coprocessor.core.fastpath.FastAdmission;
import io.lampone.coprocessor.core.fastpath.FastReading;
import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.coprocessor.core.fence.ManagerRecordSource;
import io.lampone.coprocessor.core.fence.OwnSession;
import io.lampone.coprocessor.core.fence.ProofCheck;
import io.lampone.coprocessor.core.fence.ReadAdmission;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.fence.RegionFence;
import io.lampone.coprocessor.core.fence.RegionReadiness;
import io.lampone.coprocessor.core.fence.ServerGuards;
import io.lampone.coprocessor.core.fence.SessionProof;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.RegularWrite;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.coprocessor.core.visibility.Certification;
import io.lampone.coprocessor.core.visibility.RangeCertification;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastCondition.Unchanged;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.trust.ClusterKey;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.IssueProof.Begun;
import io.lampone.protocol.trust.IssueProof.Marked;
import io.lampone.protocol.trust.IssueProof.Passed;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Timestamps from outside: the clock of a server that has fetched ticks up to 10, with a bound of
 * 1,000,000, moves to what is shown to have been issued and to nothing else (E3).
 */
class IssuedTimestampsTest {

  private static final long BASE_MILLIS = 1_800_000_000_000L;
  private static final long NEAR_BOUND = t(999_999);
  private static final Bytes Q = Bytes.utf8("q");
  private static final RowFamily PLACE = new RowFamily("t", Bytes.utf8("r"), MemoryRow.F);

  private final Proofs manager = new Proofs(key(1));
  private final Deque<ManagerRecordSource.Answer> reads = new ArrayDeque<>();
  private final Fences fences = new Fences(reads::add, SystemClock.INSTANCE);
  private final FastServer server = new FastServer(ConflictLevel.ROW, new LocalVersionClock());
  private final LocalVersionClock clock = server.clock;
  private final TimestampBatches timestampBatches = new TimestampBatches(clock, fences);
  private final AtomicInteger asked = new AtomicInteger();
  private ServerGuards guards;

  @BeforeEach
  void open() {
    RegionFence fence = fences.regionOpened();
    reads
        .remove()
        .record(
            new ManagerRecord(
                1,
                "m",
                "",
                1,
                1000,
                false,
                t(1_000_000),
                t(0),
                t(0),
                Optional.empty(),
                Optional.empty()),
            BASE_MILLIS);
    guards =
        new ServerGuards(
            fence,
            new RegionReadiness(timestampBatches, fence, server.region.recent()),
            new SessionProof(SystemClock.INSTANCE, new EndlessSession()),
            clock,
            new ProofCheck(
                key(1), Duration.ofSeconds(2), false, asked::incrementAndGet, SystemClock.INSTANCE),
            safePoint -> safePoint);
  }

  @Test
  void whatWasFetched_isFree() {
    fetched();
    read(t(12), IssueProof.NONE);
    assertThat(clock.current()).isEqualTo(t(12));
    assertThat(asked).hasValue(0);
  }

  @Test
  void aTimestampNearTheBound_withoutAProof_movesNothing_andTicksAreAskedFor() {
    fetched();
    comesAgain(() -> read(NEAR_BOUND, IssueProof.NONE));
    comesAgain(() -> ReadAdmission.admit(snapshot(t(11), IssueProof.NONE), NEAR_BOUND, guards));
    comesAgain(() -> admit(fastRead(NEAR_BOUND, 0, IssueProof.NONE)));
    comesAgain(() -> admit(fastRead(0, NEAR_BOUND, IssueProof.NONE)));
    comesAgain(() -> FastAdmission.admit(write(NEAR_BOUND, IssueProof.NONE), guards));
    comesAgain(() -> guards.bumpToMark(NEAR_BOUND, IssueProof.NONE));
    assertThat(asked).hasValue(6);
    fetched(NEAR_BOUND);
    read(NEAR_BOUND, IssueProof.NONE);
  }

  @Test
  void aCertification_showsThatItsCommitTimestampWasIssued_orMovesNothing() {
    fetched();
    for (boolean range : new boolean[] {false, true}) {
      comesAgain(() -> certify(range, NEAR_BOUND, IssueProof.NONE));
      unproved(() -> certify(range, NEAR_BOUND, new Passed(t(9), NEAR_BOUND, new Tag(1, 2))));
      unproved(() -> certify(range, NEAR_BOUND, marked(new Proofs(key(2)), NEAR_BOUND)));
      assertThat(clock.isIssued(t(14))).isFalse();
    }
    certify(false, t(20), new Passed(t(9), t(20), manager.pass(t(9), t(20))));
    assertThat(clock.current()).isEqualTo(t(20));
    certify(true, t(30), new Passed(t(9), t(30), manager.pass(t(9), t(30))));
    assertThat(clock.current()).isEqualTo(t(30));
  }

  @Test
  void aBegin_showsItsTimestamps_withoutAnyTick() {
    Begun begun = Begun.of(manager.grant(t(20), 2));
    read(t(22), begun);
    assertThat(clock.current()).isEqualTo(t(22));
    admit(fastRead(t(21), t(22), begun));
    comesAgain(() -> read(t(23), begun));
    assertThat(clock.isIssued(t(23))).isFalse();
  }

  @Test
  void aMarkAndAStatement_showTheirTimestamp() {
    long version = t(30) + 131;
    FastAdmission.admit(fastRead(version, 0, marked(manager, version)), guards);
    assertThat(clock.isIssued(version)).isTrue();
    Passed passed = new Passed(t(30), t(40), manager.pass(t(30), t(40)));
    admit(fastRead(t(40), 0, passed));
    fetched();
    FastAdmission.admit(write(t(50) + 130, marked(manager, t(50) + 130)), guards);
    assertThat(clock.current()).isEqualTo(t(50) + 130);
  }

  @Test
  void whatIsMadeUp_isRefused_andMovesNothing() {
    fetched();
    unproved(() -> read(NEAR_BOUND, new Begun(NEAR_BOUND, 0, 7)));
    unproved(
        () ->
            read(NEAR_BOUND, new Begun(t(20), 999_979, Begun.of(manager.grant(t(20), 0)).shade())));
    unproved(() -> read(NEAR_BOUND, Begun.of(new Proofs(key(2)).grant(NEAR_BOUND, 0))));
    unproved(() -> admit(fastRead(NEAR_BOUND, 0, new Marked(NEAR_BOUND, 7))));
    unproved(() -> admit(fastRead(0, NEAR_BOUND, marked(new Proofs(key(2)), NEAR_BOUND))));
    unproved(
        () ->
            FastAdmission.admit(
                write(NEAR_BOUND, new Passed(t(1), NEAR_BOUND, new Tag(1, 2))), guards));
    assertThat(clock.current()).isLessThan(t(11));
    assertThat(clock.isIssued(t(14))).isFalse();
  }

  /** The bound is looked at first: what an epoch has issued whose record is not read waits. */
  @Test
  void aProofOfWhatIsAboveTheBound_movesNothing() {
    long above = t(2_000_000);
    assertThatThrownBy(() -> read(above, Begun.of(manager.grant(above, 0))))
        .isInstanceOf(Refused.class);
    assertThat(clock.isIssued(t(1))).isFalse();
    assertThat(clock.current()).isEqualTo(t(0));
  }

  @Test
  void aStatementThatIsCheckedAnyway_showsItsCommitTimestamp() {
    Tag pass = manager.pass(t(20), t(25));
    regular(new CommitLeader(t(20), 0, PLACE.row(), PLACE.family(), t(25), pass)).admit();
    assertThat(clock.isIssued(t(25))).isTrue();
    Tag stated = manager.fate(new TransactionId(t(20), PLACE), t(26));
    regular(new Heal(t(20), 0, List.of(PLACE.row()), PLACE, new Fate(t(26), stated))).admit();
    assertThat(clock.isIssued(t(26))).isTrue();
    assertThatThrownBy(
            () ->
                regular(new Heal(t(20), 0, List.of(PLACE.row()), PLACE, new Fate(t(27), stated)))
                    .admit())
        .isInstanceOf(Refused.class)
        .hasMessageContaining("UNPROVED");
    assertThat(clock.isIssued(t(27))).isFalse();
  }

  @Test
  void onlyWhatWasIssued_isMarked() {
    fetched();
    Marked marked = new Marked(t(10) + 128, guards.mark(t(10) + 128));
    assertThat(manager.verify(marked)).isEqualTo(Proofs.Verdict.VALID);
    assertThat(guards.mark(t(14))).isZero();
  }

  /** W12: another program, or a poisoned server before this rule, has stored the year 2200. */
  @Test
  void whatIsStoredAboveEverythingIssued_isNeitherShownNorDrawnAbove() throws IOException {
    MemoryRow row = new MemoryRow(Bytes.utf8("r"));
    row.put(MemoryRow.F, Q, NEAR_BOUND + 128, Bytes.utf8("poison"));
    FastReading<String> reading =
        new FastReading<>(FastReadRequest.of(0, 0, Wants.CELLS), new PoisonedRow(), guards);
    // Before a tick has come that was asked for after the opening, it may be from another server.
    assertThatThrownBy(reading::read).hasMessageContaining(Code.NOT_READY.name());
    fetched();
    assertThatThrownBy(reading::read).hasMessageContaining(Code.CORRUPT.name());
    FastCondition absent = new Unchanged(0, List.of(Place.column(MemoryRow.F, Q)));
    FastOperation write = server.operation(row, absent, put(Q, "new")).withFirstMark(t(10));
    assertThatThrownBy(() -> server.run(write, row)).hasMessageContaining(Code.CORRUPT.name());
    assertThat(clock.current()).isEqualTo(t(10));
  }

  private void fetched(long... more) {
    long[] ticks = more.length == 0 ? new long[] {t(10), t(11), t(12), t(13)} : more;
    timestampBatches.arrived(timestampBatches.send(), 1, ticks);
    assertThat(clock.current()).isEqualTo(ticks[0]);
  }

  private void read(long snapshot, IssueProof proof) {
    ReadAdmission.admit(snapshot(snapshot, proof), 0, guards);
  }

  private static ReadRequest snapshot(long snapshot, IssueProof proof) {
    return new ReadRequest(snapshot, false, 0, SlotSet.NONE, Map.of(), proof);
  }

  /** Admits the certification of a row, or a range, for a transaction with snapshot 9. */
  private void certify(boolean range, long commit, IssueProof proof) {
    CertifyRequest request = new CertifyRequest(t(9), commit, 0, ConflictLevel.ROW, proof);
    if (range) {
      RangeCertification.admit(new CertifyScan(request, Map.of()), new NoRange(), guards);
    } else {
      new Certification(request, Map.of(), new NoRow(), guards).admit();
    }
  }

  private void admit(FastReadRequest request) {
    FastAdmission.admit(request, guards);
  }

  private static FastReadRequest fastRead(long mark, long upTo, IssueProof proof) {
    return new FastReadRequest(mark, 0, upTo, Wants.CELLS, Map.of(), proof);
  }

  private FastWrite write(long mark, IssueProof proof) {
    MemoryRow row = new MemoryRow(Bytes.utf8("r"));
    return new FastWrite(0, mark, false, List.of(server.blind(row, put(Q, "v"))), proof);
  }

  private RegularWrite regular(RegionRequest request) {
    return new RegularWrite(
        request,
        new TableRules("t", ConflictLevel.ROW, 0, 0),
        new RegularWrite.Setting(
            guards, clock, server.region.recent(), server.region.settled(), server.region.known()));
  }

  private static Marked marked(Proofs by, long timestamp) {
    return new Marked(timestamp, by.mark(timestamp));
  }

  private void comesAgain(ThrowingCallable call) {
    refused(Code.NOT_READY, call);
  }

  private void unproved(ThrowingCallable call) {
    refused(Code.UNPROVED, call);
  }

  private void refused(Code code, ThrowingCallable call) {
    long before = clock.current();
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(code));
    assertThat(clock.current()).isEqualTo(before);
  }

  private static ClusterKey key(int seed) {
    byte[] bytes = new byte[ClusterKey.BYTES];
    bytes[0] = (byte) seed;
    return new ClusterKey(Bytes.wrap(bytes));
  }

  private static long t(int number) {
    return FastServer.t(number);
  }

  /** A row whose newest commit is near the bound. */
  private static final class PoisonedRow implements FastReading.Row<String> {

    @Override
    public long clock() {
      return 0;
    }

    @Override
    public void raise(long snapshot) {
      throw new AssertionError("the clock is raised");
    }

    @Override
    public String look(ReadView view) {
      view.ofCommittedAtBirth(NEAR_BOUND + 128);
      return "poison";
    }

    @Override
    public long version() {
      return NEAR_BOUND + 128;
    }

    @Override
    public boolean isLookedAtOnce() {
      return false;
    }
  }

  /** A row of a certification that is not looked at. */
  private static final class NoRow implements Certification.Row {

    @Override
    public void awaitWrites(long timestamp) {
      throw new AssertionError("waited for");
    }

    @Override
    public long bornAbove(long timestamp) {
      throw new AssertionError("looked at");
    }

    @Override
    public StoredRow stored() {
      throw new AssertionError("looked at");
    }

    @Override
    public void requireAboveFloor(long snapshot) {
      throw new AssertionError("looked at");
    }
  }

  private static final class NoRange implements RangeCertification.Region {

    @Override
    public long bornAbove(Bytes row, long timestamp) {
      throw new AssertionError("looked at");
    }

    @Override
    public long tableFloor() {
      throw new AssertionError("looked at");
    }
  }

  private static final class EndlessSession implements OwnSession {

    @Override
    public long timeoutNanos() {
      return Long.MAX_VALUE;
    }

    @Override
    public void probe(Runnable alive) {
      alive.run();
    }
  }
}
