package io.lampone.coprocessor.core.intent;

import static io.lampone.coprocessor.core.FastServer.delete;
import static io.lampone.coprocessor.core.FastServer.deleteFamily;
import static io.lampone.coprocessor.core.FastServer.put;
import static io.lampone.coprocessor.core.FastServer.t;
import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.FastServer;
import io.lampone.coprocessor.core.clock.InFlightWrites;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastCondition.Unchanged;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is remembered of rows that carry nothing undecided, and who relies on it. */
class SettledRowsTest {

  private static final long FLOOR = 256;
  private static final Bytes ROW = Bytes.utf8("row");
  private static final Bytes Q = Bytes.utf8("q");

  private final SettledRows all = new SettledRows();
  private final SettledRows.OfRegion rows = all.regionOpened();
  private final FastServer server = new FastServer(ConflictLevel.ROW);
  private final MemoryRow row = new MemoryRow();

  @Test
  void whatIsSettledIsToldUntilItIsForgotten() {
    assertThat(rows.newest(ROW, FLOOR)).isEqualTo(SettledRows.UNKNOWN);
    rows.settled(ROW, FLOOR, 512);
    assertThat(rows.newest(Bytes.utf8("row"), FLOOR)).isEqualTo(512);
    rows.settled(ROW, FLOOR, 768);
    assertThat(rows.newest(ROW, FLOOR)).isEqualTo(768);
    rows.forget(Bytes.utf8("another"));
    assertThat(rows.newest(ROW, FLOOR)).isEqualTo(768);
    rows.forget(ROW);
    assertThat(rows.newest(ROW, FLOOR)).isEqualTo(SettledRows.UNKNOWN);
  }

  @Test
  void whatWasFoundAboveAnotherFloorOfTheTableDoesNotCount() { // R4
    rows.settled(ROW, FLOOR, 512);
    assertThat(rows.newest(ROW, 2 * FLOOR)).isEqualTo(SettledRows.UNKNOWN);
  }

  @Test
  void aRegionThatHasOpenedAgainKnowsNothingOfItsRows() {
    rows.settled(ROW, FLOOR, 512);
    SettledRows.OfRegion again = all.regionOpened();
    assertThat(again.newest(ROW, FLOOR)).isEqualTo(SettledRows.UNKNOWN);
    again.settled(ROW, FLOOR, 768);
    rows.closed(); // the old one, later than the new one has opened
    assertThat(rows.newest(ROW, FLOOR)).isEqualTo(SettledRows.UNKNOWN);
    assertThat(again.newest(ROW, FLOOR)).isEqualTo(768);
  }

  @Test
  void underASharedLockAnEntryIsRaisedAndNeverMadeNorLowered() {
    rows.raise(ROW, 512);
    assertThat(rows.newest(ROW, FLOOR)).isEqualTo(SettledRows.UNKNOWN);
    rows.settled(ROW, FLOOR, 512);
    rows.raise(ROW, 1024);
    rows.raise(ROW, 768); // drawn first, and told last
    assertThat(rows.newest(ROW, FLOOR)).isEqualTo(1024);
  }

  @Test
  void aRowIsNeverTakenForAnotherOneInTheSamePlace() {
    int keys = 4 * SettledRows.PLACES;
    for (int i = 0; i < keys; i++) {
      rows.settled(key(i), FLOOR, i);
    }
    int remembered = 0;
    for (int i = 0; i < keys; i++) {
      long told = rows.newest(key(i), FLOOR);
      if (told != SettledRows.UNKNOWN) {
        assertThat(told).isEqualTo(i);
        remembered++;
      }
    }
    assertThat(remembered).isBetween(SettledRows.PLACES / 2, SettledRows.PLACES);
  }

  @Test
  void aLongKeyIsNotRemembered() {
    Bytes longest = Bytes.utf8("k".repeat(RowMemory.MAX_KEY_BYTES));
    rows.settled(longest, FLOOR, 512);
    assertThat(rows.newest(longest, FLOOR)).isEqualTo(512);
    Bytes longer = Bytes.utf8("k".repeat(RowMemory.MAX_KEY_BYTES + 1));
    rows.settled(longer, FLOOR, 512);
    assertThat(rows.newest(longer, FLOOR)).isEqualTo(SettledRows.UNKNOWN);
  }

  @Test
  void aRowIsSearchedOnceAndAgainWhenATransactionCellMayHaveCome() throws Exception {
    committed(t(1), t(900));
    server.run(server.blind(row, put(Q, "v")), row);
    row.shown = 0;
    server.run(server.blind(row, put(Q, "w")), row);
    assertThat(row.shown).isZero();
    row.put(G, t(901), TransactionCell.follower(new RowFamily("t", ROW, F), 1));
    server.region.settled().forget(row.key());
    assertThat(server.run(server.blind(row, put(Q, "x")), row).kind()).isEqualTo(Kind.BUSY);
    // A row with an intent on it is not remembered.
    assertThat(server.run(server.blind(row, put(Q, "x")), row).kind()).isEqualTo(Kind.BUSY);
  }

  @Test
  void whoDoesNotSearchARowMeetsWhatWasCommittedThereSince() throws Exception { // E6
    committed(t(1), t(3));
    server.clock.bump(t(5));
    assertThat(putIf(t(2)).kind()).isEqualTo(Kind.CONFLICT);
    long first = server.run(server.blind(row, put(Q, "v")), row).version();
    assertThat(putIf(t(3))).isEqualTo(Outcome.of(Kind.CONFLICT, first));
    assertThat(putIf(first - 1)).isEqualTo(Outcome.of(Kind.CONFLICT, first));
    long column = server.run(server.blind(row, delete(Q)), row).version();
    assertThat(putIf(first)).isEqualTo(Outcome.of(Kind.CONFLICT, column));
    long family = server.run(server.blind(row, deleteFamily(G)), row).version();
    assertThat(putIf(column)).isEqualTo(Outcome.of(Kind.CONFLICT, family));
    assertThat(putIf(family).kind()).isEqualTo(Kind.COMMITTED);
  }

  @Test
  void whoWritesUnderASharedLockIsMetToo() throws Exception { // E8
    server.run(server.blind(row, put(Q, "v")), row);
    FastWrite write = new FastWrite(0, 0, false, List.of(server.blind(row, put(Q, "plain"))));
    FastAttempt attempt = server.attempt(write, false);
    long version = attempt.decide(List.of(row)).get(0).outcome().version();
    attempt.end();
    assertThat(putIf(version - 1)).isEqualTo(Outcome.of(Kind.CONFLICT, version));
    assertThat(putIf(version).kind()).isEqualTo(Kind.COMMITTED);
  }

  @Test
  void whatWasRolledBackIsForgotten() throws Exception {
    long version = server.run(server.blind(row, put(Q, "v")), row).version();
    FastWrite write = new FastWrite(0, 0, false, List.of(server.blind(row, put(Q, "lost"))));
    KnownRows.OfRegion known = server.region.known();
    known.remember(key(1), RowKnowledge.upTo(version, FLOOR, 0));
    FastAttempt attempt = server.attempt(write);
    attempt.decide(List.of(row));
    attempt.failed((written, drawn) -> false);
    attempt.end();
    assertThat(known.entry(key(1), FLOOR)).as("another row").isNotNull();
    assertThat(putIf(version).kind()).isEqualTo(Kind.COMMITTED);
  }

  /** A recovery may bring it back from the log. */
  @Test
  void aLoggedWriteThatIsNotVisibleAfterItsFailureIsInDoubt() throws Exception {
    FastWrite write = new FastWrite(0, 0, false, List.of(server.blind(row, put(Q, "lost"))));
    FastAttempt attempt = server.attempt(write);
    long version = attempt.decide(List.of(row)).get(0).outcome().version();
    InFlightWrites inFlight = server.region.inFlight();
    assertThat(inFlight.logging(row.key(), version)).isTrue();
    attempt.failed((written, drawn) -> false);
    attempt.end();
    assertThatThrownBy(() -> inFlight.requireNoDoubt(row.key())).isInstanceOf(Refused.class);
    inFlight.requireNoDoubt(key(1));
    assertThat(server.region.known().entry(key(1), FLOOR)).isNull();
  }

  @Test
  void atLevelCellEveryWriterSearches() throws Exception { // H16
    FastServer cells = new FastServer(ConflictLevel.CELL);
    cells.run(cells.blind(row, put(Q, "v")), row);
    row.put(F, t(3), TransactionCell.leader(new ArrayList<>(), false, 1));
    row.put(F, Bytes.utf8("q2"), t(3), Bytes.utf8("tentative"));
    Bytes other = Bytes.utf8("q2");
    assertThat(cells.run(cells.blind(row, put(other, "v")), row).kind()).isEqualTo(Kind.BUSY);
  }

  private static Bytes key(int number) {
    return Bytes.utf8("key" + number);
  }

  private Outcome putIf(long version) throws Exception {
    Unchanged unchanged = new Unchanged(version, List.of(Place.column(F, Q)));
    return server.run(server.operation(row, unchanged, put(Q, "if")), row);
  }

  private void committed(long start, long commit) {
    server.region.settled().forget(row.key());
    row.put(
        F,
        start,
        TransactionCell.follower(new RowFamily("t", ROW, F), 1)
            .withState(TransactionState.COMMITTED, commit));
  }
}
