package io.lampone.coprocessor.core;

import static io.lampone.coprocessor.core.FastServer.t;
import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static io.lampone.coprocessor.core.intent.MemoryRow.ROW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fastpath.FastReading;
import io.lampone.coprocessor.core.fastpath.FastReading.Answer;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.visibility.FamilyView;
import io.lampone.coprocessor.core.visibility.FamilyView.Step;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** What the region server answers to a read that wants the latest state of a row (ADR 32). */
class LatestReadTest {

  private static final Bytes Q = Bytes.utf8("q");
  private static final long NO_MARK = 0;
  private static final String NOTHING = "nothing";
  private static final TransactionCell INTENT =
      TransactionCell.follower(new RowFamily("t", ROW, G), 1);

  /** The server's clock is far behind: nothing that a test writes has been told to it. */
  private final FastServer server = new FastServer(ConflictLevel.ROW);

  private final LocalVersionClock clock = server.clock;

  private final MemoryRow row = new MemoryRow();
  private boolean maySafelyDraw = true;
  private long safePoint = t(0);
  private long floor;
  private long waitedFor;
  private Runnable whileWaiting = () -> {};
  private Runnable whileLooking = () -> {};
  private LongSupplier version =
      () -> {
        throw new AssertionError("not wanted");
      };

  LatestReadTest() {
    clock.bump(t(1));
  }

  @Test
  void everyUndecidedIntentIsPointedToHoweverFarItIsAboveTheClock() throws IOException {
    row.put(F, Q, t(0) + 128, Bytes.utf8("old"));
    intent(t(1000), INTENT);
    assertThat(latest(NO_MARK).found()).isEqualTo("-> " + t(1000));
    assertThat(plain(NO_MARK).found())
        .as("which a read of the fast path takes for absent")
        .isEqualTo("old");
  }

  @Test
  void aHealedCommitIsSeenHoweverFarItIsAboveTheClock() throws IOException {
    row.put(F, Q, t(0) + 128, Bytes.utf8("old"));
    intent(t(1000), INTENT.withState(TransactionState.COMMITTED, t(2000)));
    Answer<String> answer = latest(NO_MARK);
    assertThat(answer.found()).isEqualTo("new");
    assertThat(answer.snapshot()).as("what the session hears of").isEqualTo(t(2000));
  }

  @Test
  void whatIsAbortedOrRolledBackIsInNobodysWay() throws IOException {
    row.put(F, Q, t(0) + 128, Bytes.utf8("old"));
    intent(t(1000), INTENT.withState(TransactionState.ABORTED, 0));
    assertThat(latest(NO_MARK).found()).isEqualTo("old");
  }

  /** It is doomed, or has committed before the newer one began: then it is hidden all the same. */
  @Test
  void anIntentBelowWhatIsShownIsInNobodysWay() throws IOException {
    intent(t(1000), INTENT);
    row.put(F, Q, t(2000) + 128, Bytes.utf8("newer"));
    assertThat(latest(NO_MARK).found()).isEqualTo("newer");
  }

  @Test
  void anUndecidedDeleteOfTheFamilyIsPointedToWhereItMightHideSomething() throws IOException {
    row.put(F, t(1000), INTENT);
    row.put(F, Reserved.FAMILY_TOMBSTONE, t(1000), Bytes.EMPTY);
    assertThat(latest(NO_MARK).found()).isEqualTo(NOTHING);
    row.put(F, Q, t(0) + 128, Bytes.utf8("old"));
    assertThat(latest(NO_MARK).found()).isEqualTo("-> " + t(1000));
  }

  @Test
  void whatTheSessionKnowsOfIsToldToTheClockFirst() throws IOException {
    latest(t(500));
    assertThat(clock.current()).isEqualTo(t(500));
    assertThat(latest(t(500)).snapshot()).isEqualTo(t(500));
  }

  /** The session may have heard that it is committed. */
  @Test
  void aReadOfTheFastPathPointsToAnIntentBelowTheMarkOfItsSession() throws IOException {
    row.put(F, Q, t(0) + 128, Bytes.utf8("old"));
    intent(t(10), INTENT);
    assertThat(plain(t(10)).found()).isEqualTo("old");
    assertThat(plain(t(11)).found()).isEqualTo("-> " + t(10));
  }

  /** A conditional write that expects a later one would overwrite what was not read. */
  @Test
  void theVersionOfARowIsReadBeforeItsCells() throws IOException {
    row.put(F, Q, t(0) + 128, Bytes.utf8("old"));
    long[] newest = {t(0) + 128};
    version = () -> newest[0];
    whileLooking =
        () -> {
          newest[0] = t(2) + 128;
          row.put(F, Q, newest[0], Bytes.utf8("newer"));
        };
    Answer<String> answer = read(FastReadRequest.of(NO_MARK, 0, Wants.VERSION));
    assertThat(answer.found()).isEqualTo("old");
    assertThat(answer.version()).isEqualTo(t(0) + 128);
  }

  /** The second attempt carries the timestamp that was issued for it, and is a snapshot read. */
  @Test
  void atATimestampItReadsWhatHadCommittedBelowAndRaisesTheClock() throws IOException {
    row.put(F, Q, t(0) + 128, Bytes.utf8("old"));
    intent(t(1000), INTENT);
    FastReadRequest first = FastReadRequest.of(NO_MARK, 0, Wants.LATEST);
    assertThat(read(first.again(t(3000), Map.of(id(t(1000)), new Fate(t(2000), Tag.NONE)))).found())
        .isEqualTo("new");
    assertThat(clock.current()).isEqualTo(t(3000));
    assertThat(read(first.again(t(3000), Map.of(id(t(1000)), Fate.INVISIBLE))).found())
        .isEqualTo("old");
    assertThat(read(first.again(t(3000), Map.of())).found()).isEqualTo("-> " + t(1000));
    // It came after the timestamp: its commit cannot have returned before the read began.
    intent(t(4000), INTENT);
    assertThat(read(first.again(t(3000), Map.of(id(t(1000)), Fate.INVISIBLE))).found())
        .isEqualTo("old");
  }

  /** Where the region was before, the clock may have been further, and the value gone. */
  @Test
  void whereValuesExpireARegionThatHasOpenedAnswersWhenItsClockIsAboveWhatWasReadBefore() {
    row.retention = new FamilyRetention(1, 0, 5);
    row.put(F, Q, t(1) + 128, Bytes.utf8("v"));
    maySafelyDraw = false;
    assertThatExceptionOfType(Refused.class)
        .isThrownBy(() -> latest(NO_MARK))
        .matches(refused -> refused.refusal().code() == Refusal.Code.NOT_READY);
  }

  /**
   * What is not promised: a place in the order of the snapshots that were taken before (ADR 32).
   * The snapshot is taken at 10; something commits elsewhere at 20, and returns; this row is read,
   * and then a client that has heard of neither writes it: below the snapshot.
   */
  @Test
  void aSnapshotThatIsOlderMayHaveAnotherOrder() throws IOException {
    row.put(F, Q, t(0) + 128, Bytes.utf8("old"));
    long snapshot = t(10);
    long elsewhere = t(20);
    assertThat(latest(NO_MARK).found()).isEqualTo("old");
    FastReply.Outcome put = server.run(server.blind(row, FastServer.put(Q, "new")), row);
    assertThat(put.version()).isLessThan(snapshot);
    // A regular read has begun after that commit, and then nothing comes below it any more.
    read(FastReadRequest.of(NO_MARK, 0, Wants.LATEST).again(t(21), Map.of()));
    assertThat(server.run(server.blind(row, FastServer.put(Q, "later")), row).version())
        .isGreaterThan(elsewhere);
  }

  @Test
  void anIntervalBeginsWithWhatIsShownAndEndsAtTheClock() throws IOException {
    row.put(F, Q, t(0) + 130, Bytes.utf8("old"));
    clock.bump(t(50));
    assertInterval("old", t(0) + 130, t(50));
    intent(t(10), INTENT.withState(TransactionState.COMMITTED, t(20)));
    assertInterval("new", t(20), t(50));
  }

  /**
   * Centiman's local check needs the version that is read, and a time until which it is current.
   */
  @Test
  void theClockIsReadBeforeTheLookAndEverythingUpToItIsVisibleThen() throws IOException {
    clock.bump(t(50));
    whileWaiting = () -> row.put(F, Q, t(50) + 128, Bytes.utf8("born"));
    whileLooking = () -> clock.bump(t(60));
    assertInterval("born", t(50) + 128, t(50));
    assertThat(waitedFor).isEqualTo(t(50));
  }

  /** Something older may not be visible yet. */
  @Test
  void theIntervalIsEmptyWhereSomethingAboveTheClockIsShown() throws IOException {
    clock.bump(t(50));
    row.put(F, Q, t(60) + 128, Bytes.utf8("newer"));
    Answer<String> answer = interval(NO_MARK);
    assertThat(answer.version()).isEqualTo(t(60) + 128).isGreaterThan(answer.snapshot());
    assertThat(answer.snapshot()).isEqualTo(t(50));
  }

  /** A version that was frozen looks older than it is, and a tombstone may be gone. */
  @Test
  void anIntervalBeginsAtTheSafePointOfAfterTheLook() throws IOException {
    clock.bump(t(300));
    row.put(F, Q, t(90) + 128, Bytes.utf8("frozen"));
    whileLooking = () -> safePoint = t(200);
    assertInterval("frozen", t(200), t(300));
  }

  @Test
  void anEmptyRowMayHaveLostATombstoneUpToTheSafePoint() throws IOException {
    clock.bump(t(300));
    safePoint = t(200);
    assertInterval(NOTHING, t(200), t(300));
  }

  @Test
  void anIntervalBeginsAtTheFloorOfTheTable() throws IOException {
    clock.bump(t(300));
    row.put(F, Q, t(90) + 128, Bytes.utf8("restored"));
    floor = t(250);
    assertInterval("restored", t(250), t(300));
  }

  @Test
  void whatADeleteHidesCounts() throws IOException {
    clock.bump(t(300));
    row.put(F, Q, t(10) + 128, Bytes.utf8("gone"));
    row.put(F, t(90), INTENT.withState(TransactionState.COMMITTED, t(110)));
    row.put(F, Reserved.FAMILY_TOMBSTONE, t(90), Bytes.EMPTY);
    assertInterval(NOTHING, t(110), t(300));
  }

  @Test
  void anIntervalPointsToAnUndecidedIntentOnEitherSideOfTheClock() throws IOException {
    clock.bump(t(50));
    row.put(F, Q, t(0) + 128, Bytes.utf8("old"));
    intent(t(1000), INTENT);
    assertThat(interval(NO_MARK).found()).isEqualTo("-> " + t(1000));
    clock.bump(t(2000));
    assertThat(interval(NO_MARK).found()).isEqualTo("-> " + t(1000));
  }

  @Test
  void anIntervalEndsNotBelowTheMarkOfTheSession() throws IOException {
    row.put(F, Q, t(0) + 128, Bytes.utf8("old"));
    Answer<String> answer = interval(t(500));
    assertThat(answer.snapshot()).isEqualTo(t(500));
  }

  @Test
  void whatExpiresUpToTheClockIsNotShownAndBeginsTheInterval() throws IOException {
    row.retention = new FamilyRetention(1, 0, 5);
    row.put(F, Q, t(1) + 128, Bytes.utf8("v"));
    long expiry = row.retention.expiry(t(1) + 128, FamilyRetention.FOREVER, false);
    clock.bump(expiry - 1);
    assertThat(interval(NO_MARK).found()).isEqualTo("v");
    clock.bump(expiry + 5);
    assertInterval(NOTHING, expiry, expiry + 5);
  }

  private void assertInterval(String found, long from, long to) throws IOException {
    Answer<String> answer = interval(NO_MARK);
    assertThat(answer.found()).isEqualTo(found);
    assertThat(answer.version()).isEqualTo(from);
    assertThat(answer.snapshot()).isEqualTo(to);
  }

  private Answer<String> interval(long mark) throws IOException {
    return read(FastReadRequest.of(mark, 0, Wants.INTERVAL));
  }

  private static TransactionId id(long start) {
    return new TransactionId(start, INTENT.leader().orElseThrow());
  }

  private void intent(long start, TransactionCell cell) {
    row.put(F, start, cell);
    row.put(F, Q, start, Bytes.utf8("new"));
  }

  private Answer<String> latest(long mark) throws IOException {
    return read(FastReadRequest.of(mark, 0, Wants.LATEST));
  }

  private Answer<String> plain(long mark) throws IOException {
    return read(FastReadRequest.of(mark, 0, Wants.CELLS));
  }

  private Answer<String> read(FastReadRequest request) throws IOException {
    FastReading<String> reading =
        new FastReading<>(
            request,
            new OneColumn(request.wants() == Wants.LATEST || request.wants() == Wants.INTERVAL),
            new Guards());
    Answer<String> answer = reading.read();
    reading.requireHolds(answer);
    return answer;
  }

  /** The value of the column, or where it points to. */
  private final class OneColumn implements FastReading.Row<String> {

    private final boolean lookedAtOnce;
    private boolean lookedAt;

    OneColumn(boolean lookedAtOnce) {
      this.lookedAtOnce = lookedAtOnce;
    }

    @Override
    public void raise(long snapshot) {
      clock.bump(snapshot);
      whileWaiting.run();
      waitedFor = snapshot;
    }

    @Override
    public String look(ReadView view) throws IOException {
      assertThat(lookedAtOnce && lookedAt).as("an application's filter is asked once").isFalse();
      lookedAt = true;
      whileLooking.run();
      FamilyView family = new FamilyView(view, row, F, 0);
      String[] found = {NOTHING};
      row.visit(
          new Selection(List.of(F), List.of(), 0, view.highestVersion()),
          cell -> {
            if (cell.isAt(Reserved.TRANSACTION) || cell.isAt(Reserved.FAMILY_TOMBSTONE)) {
              return next(family.reserved(cell));
            }
            Step step = family.data(cell);
            if (step == Step.SHOW) {
              found[0] = Bytes.wrap(cell.value()).toUtf8();
            } else if (step == Step.POINT) {
              found[0] = "-> " + family.undecidedStart();
            }
            return next(step);
          });
      return found[0];
    }

    private Next next(Step step) {
      return step == Step.NEXT_VERSION ? Next.VERSION : Next.COLUMN;
    }

    @Override
    public long version() {
      return version.getAsLong();
    }

    @Override
    public long clock() {
      return clock.current();
    }

    @Override
    public long floor() {
      return floor;
    }

    @Override
    public long now() {
      return mayExpire() ? clock.current() : 0;
    }

    @Override
    public boolean mayExpire() {
      return row.retention.isLimited();
    }

    @Override
    public boolean isLookedAtOnce() {
      return lookedAtOnce;
    }
  }

  /** Everything is known and proved, but whether versions may be drawn. */
  private final class Guards extends OpenGuards {

    @Override
    public void requireDrawing() {
      if (!maySafelyDraw) {
        throw Refused.because(Refusal.Code.NOT_READY, "no tick since the opening");
      }
    }

    @Override
    public void bump(long timestamp) {
      clock.bump(timestamp);
    }

    @Override
    public long safePoint() {
      return safePoint;
    }
  }
}
