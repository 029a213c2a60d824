package io.lampone.client.core.latest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.ConflictException.Kind;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.core.latest.LatestReads.Current;
import io.lampone.client.core.step.Gate;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Centiman's local check, and what follows when it fails. */
class LatestReadsTest {

  private static final int MOST = 5;

  private final MemoryRows rows = new MemoryRows();
  private final LatestReads<String, String> reads = new LatestReads<>(rows, MOST);

  @Test
  void readsThatHaveASnapshotInCommonNeedNone() {
    rows.shows("a", "1", 10, 100);
    rows.shows("b", "2", 50, 60);
    rows.shows("c", "3", 60, 90);
    assertThat(read("a")).containsExactly("1");
    assertThat(read("b", "c")).containsExactly("2", "3");
    assertThat(reads.lowest()).isEqualTo(60);
    assertThat(reads.highest()).isEqualTo(60);
    assertThat(reads.isOnSnapshot()).isFalse();
    assertThat(rows.asked).isEmpty();
  }

  /** The second row shows what committed at 101, the first one what it was up to 100. */
  @Test
  void aTornReadIsNeverShown() {
    rows.shows("a", "old", 10, 100);
    rows.shows("b", "new", 101, 120);
    read("a");
    rows.stored.put("a", "new");
    assertThatThrownBy(() -> read("b"))
        .isInstanceOfSatisfying(
            TransactionEndedException.class,
            ended ->
                assertThat(ended.outcome())
                    .isEqualTo(new Conflict(MemoryRows.placeOf("a"), 0, Kind.READ_WRITE)));
    assertThat(reads.conflict()).isPresent();
    assertThatThrownBy(() -> read("c")).isInstanceOf(TransactionEndedException.class);
    assertThat(rows.asked).containsExactly("begin", "[a]");
  }

  @Test
  void withoutAChangeTheTransactionContinuesOnTheSnapshot() {
    rows.shows("a", "1", 10, 100);
    rows.shows("b", "2", 101, 120);
    read("a");
    assertThat(read("b")).containsExactly("2");
    rows.stored.put("c", "3");
    assertThat(read("c")).containsExactly("3");
    assertThat(rows.asked).containsExactly("begin", "[a]", "[b]", "[c]");
    assertThat(reads.conflict()).isEmpty();
  }

  @Test
  void rowsOfOneReadMustFitTogetherToo() {
    rows.shows("a", "1", 10, 100);
    rows.shows("b", "2", 101, 120);
    rows.stored.put("a", "1 of the snapshot");
    assertThat(read("a", "b")).containsExactly("1 of the snapshot", "2");
    assertThat(rows.asked).containsExactly("begin", "[a, b]");
  }

  /** What the server shows is above its clock. */
  @Test
  void anEmptyIntervalAloneNeedsASnapshot() {
    rows.shows("a", "1", 101, 100);
    read("a");
    assertThat(rows.asked).containsExactly("begin", "[a]");
  }

  @Test
  void anUndecidedIntentNeedsASnapshot() {
    rows.current.put("a", new Current<>("", new FastReadReply(100, 10, 0), true));
    rows.stored.put("a", "decided");
    assertThat(read("a")).containsExactly("decided");
  }

  @Test
  void whatWouldBeTooMuchToKeepNeedsASnapshot() {
    for (int i = 0; i <= MOST; i++) {
      rows.shows("r" + i, "v", 10, 100);
    }
    for (int i = 0; i < MOST; i++) {
      read("r" + i);
    }
    assertThat(rows.asked).isEmpty();
    read("r" + MOST);
    assertThat(rows.asked).containsExactly("begin", "[r0, r1, r2, r3, r4]", "[r5]");
  }

  @Test
  void rowsThatAreTooLargeToKeepNeedASnapshot() {
    for (int i = 0; i < MOST; i++) {
      rows.shows("r" + i, "v".repeat(1 << 20), 10, 100);
    }
    for (int i = 0; i < MOST - 1; i++) {
      read("r" + i);
    }
    assertThat(rows.asked).isEmpty();
    read("r4");
    assertThat(rows.asked).containsExactly("begin", "[r0, r1, r2, r3]", "[r4]");
  }

  @Test
  void aReadThatIsUnderWayWhileASnapshotIsTakenIsReadThere() {
    rows.shows("a", "1", 10, 100);
    Gate<Void> slow = new Gate<>();
    rows.slow.put("a", slow);
    rows.shows("b", "2", 101, 120);
    CompletableFuture<List<String>> first = start("a");
    assertThat(read("b")).containsExactly("2");
    rows.stored.put("a", "1 of the snapshot");
    slow.open(Step.done());
    assertThat(first.join()).containsExactly("1 of the snapshot");
    assertThat(rows.asked).containsExactly("begin", "[b]", "[a]");
  }

  @Test
  void afterAFailureALaterReadTriesAgain() {
    rows.shows("a", "1", 10, 100);
    rows.shows("b", "2", 101, 120);
    read("a");
    rows.unavailable = true;
    assertThatThrownBy(() -> read("b")).hasMessage("no manager");
    assertThat(read("a")).as("without the manager").containsExactly("1");
    rows.unavailable = false;
    assertThat(read("b")).containsExactly("2");
    assertThat(rows.asked).containsExactly("begin", "begin", "[a, a]", "[b]");
  }

  private List<String> read(String... some) {
    try {
      return start(some).join();
    } catch (CompletionException e) {
      throw (RuntimeException) e.getCause();
    }
  }

  private CompletableFuture<List<String>> start(String... some) {
    return new Driver(delay -> CompletableFuture.completedFuture(null), new StandingClock())
        .start(reads.read(List.of(some)));
  }

  private static final class StandingClock implements Clock {

    @Override
    public long wallMillis() {
      return 0;
    }

    @Override
    public long monotonicNanos() {
      return 0;
    }
  }

  /** Rows in memory, and what was asked for beside current states. */
  private static final class MemoryRows implements LatestReads.Rows<String, String> {

    final Map<String, Current<String>> current = new HashMap<>();
    final Map<String, String> stored = new HashMap<>();
    final Map<String, Gate<Void>> slow = new HashMap<>();
    final List<String> asked = new ArrayList<>();
    boolean unavailable;

    void shows(String row, String value, long from, long to) {
      current.put(row, new Current<>(value, new FastReadReply(to, from, 0), false));
      stored.put(row, value);
    }

    @Override
    public Step<List<Current<String>>> current(List<String> gets) {
      Gate<Void> gate = slow.remove(gets.get(0));
      List<Current<String>> found = gets.stream().map(current::get).toList();
      // An unknown row is read at no moment.
      boolean known = current.keySet().containsAll(gets);
      Step<Void> ready = gate == null ? Step.done() : gate.passed();
      return ready.map(
          done ->
              known
                  ? found
                  : gets.stream()
                      .map(get -> new Current<>("", new FastReadReply(0, 1, 0), false))
                      .toList());
    }

    @Override
    public Step<Void> takeSnapshot() {
      asked.add("begin");
      return unavailable ? Step.failed(new IllegalStateException("no manager")) : Step.done();
    }

    @Override
    public Step<List<String>> inSnapshot(List<String> gets) {
      return Step.begin(
          event -> {
            asked.add(gets.toString());
            return Step.done(gets.stream().map(stored::get).toList());
          });
    }

    @Override
    public boolean isSame(String one, String other) {
      return one.equals(other);
    }

    @Override
    public long bytes(String shown) {
      return shown.length();
    }

    @Override
    public RowFamily place(String get) {
      return placeOf(get);
    }

    static RowFamily placeOf(String row) {
      return new RowFamily("t", Bytes.utf8(row), Bytes.EMPTY);
    }
  }
}
