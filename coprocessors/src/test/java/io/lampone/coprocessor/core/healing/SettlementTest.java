package io.lampone.coprocessor.core.healing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.healing.Settlement.Result;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a healer does about each thing that it can find (protocol page, sections 5 and 7). */
final class SettlementTest {

  private static final long START = Timestamps.PLAIN_LIMIT + 1024;
  private static final long COMMIT = START + 512;
  private static final long YOUNG = START;
  private static final long OVER = START + 256;

  private static final RowFamily LEADER = place("leader");
  private static final RowFamily FOLLOWER = place("follower");
  private static final RowFamily OTHER = place("other");
  private static final TransactionId ID = new TransactionId(START, LEADER);

  private final Store store = new Store();
  private final List<String> asked = new ArrayList<>();
  private Optional<Status> status = Optional.empty();
  private final AtomicLong nanos = new AtomicLong(-7);
  private final FollowerSearch search = new FollowerSearch(store, new ManualClock(nanos));
  private final Settlement settlement =
      new Settlement(store, this::ask, search, new ManualClock(nanos));

  @Test
  void aDecidedLeaderIsBelievedWithoutAskingTheManager() throws IOException {
    store.leader = committed(TransactionState.COMMITTED);
    assertThat(follower(YOUNG)).isEqualTo(Result.SETTLED);
    store.leader = committed(TransactionState.FINAL);
    assertThat(follower(YOUNG)).isEqualTo(Result.SETTLED);
    store.leader = state(TransactionState.ABORTED);
    assertThat(follower(YOUNG)).isEqualTo(Result.SETTLED);
    assertThat(asked).isEmpty();
    assertThat(store.log)
        .containsExactly("heal follower " + COMMIT, "heal follower " + COMMIT, "heal follower 0");
  }

  /** A slow transaction is none of its business, however slow. */
  @Test
  void nobodyIsAbortedWhileHeMayStillBeAtWork() throws IOException {
    for (Status answer : List.of(new Status.NotRequested(), new Status.Unknown(Optional.empty()))) {
      store.leader = state(TransactionState.PENDING);
      status = Optional.of(answer);
      assertThat(follower(YOUNG)).isEqualTo(Result.LEFT);
    }
    store.leader = Outcome.NOTHING;
    assertThat(follower(YOUNG)).isEqualTo(Result.LEFT);
    assertThat(store.log).isEmpty();
  }

  @Test
  void whoseTimeIsOverIsAbortedOnTheLeaderBeforeAnyFollower() throws IOException {
    for (Status answer : List.of(new Status.NotRequested(), new Status.Unknown(Optional.empty()))) {
      store.log.clear();
      store.leader = state(TransactionState.PENDING);
      status = Optional.of(answer);
      assertThat(follower(OVER)).isEqualTo(Result.SETTLED);
      assertThat(store.log).containsExactly("abort plant=false", "heal follower 0");
    }
  }

  @Test
  void aConflictIsADecisionAndSoIsHavingPassed() throws IOException {
    store.leader = state(TransactionState.PENDING);
    status = Optional.of(new Status.Conflict(Tag.NONE));
    assertThat(follower(YOUNG)).isEqualTo(Result.SETTLED);
    assertThat(store.log).containsExactly("abort plant=false", "heal follower 0");
    store.log.clear();
    store.leader = state(TransactionState.PENDING);
    status = Optional.of(new Status.Passed(COMMIT, Tag.NONE));
    assertThat(follower(OVER)).isEqualTo(Result.SETTLED);
    assertThat(store.log).containsExactly("commit " + COMMIT, "heal follower " + COMMIT);
  }

  /**
   * Z1: only its own client finishes it. Z2 is the transaction manager's, for healers that do not
   * know it.
   */
  @Test
  void anAssignedTransactionIsLeftAndAbortedWhenItIsMetAgainMuchLater() throws IOException {
    store.leader = state(TransactionState.PENDING);
    status = Optional.of(new Status.Assigned(COMMIT, Optional.of(new Tag(1, 2))));
    assertThat(follower(YOUNG)).isEqualTo(Result.LEFT);
    assertThat(follower(YOUNG)).as("in another region, in the same pass").isEqualTo(Result.LEFT);
    nanos.addAndGet(AssignedTransactions.PATIENCE.toNanos());
    status = Optional.of(new Status.Assigned(COMMIT, Optional.empty()));
    assertThat(follower(YOUNG)).as("assigned anew by another manager").isEqualTo(Result.LEFT);
    assertThat(store.log).isEmpty();
    status = Optional.of(new Status.Assigned(COMMIT, Optional.of(new Tag(1, 2))));
    assertThat(follower(YOUNG)).isEqualTo(Result.SETTLED);
    assertThat(store.log).containsExactly("abort plant=false", "heal follower 0");
    store.log.clear();
    store.leader = state(TransactionState.PENDING);
    assertThat(follower(YOUNG)).as("it has been forgotten").isEqualTo(Result.LEFT);
    assertThat(follower(OVER)).as("below floor or safe point").isEqualTo(Result.SETTLED);
    assertThat(store.log).containsExactly("abort plant=false", "heal follower 0");
  }

  /** A reader that may not change the leader has the server wait in its place. */
  @Test
  void forAReaderAnAssignedTransactionIsAbortedAsSoonAsThatIsStated() throws IOException {
    store.leader = state(TransactionState.PENDING);
    status = Optional.of(new Status.Assigned(COMMIT, Optional.empty()));
    assertThat(settlement.resolve(ID, List.of(FOLLOWER), YOUNG)).isFalse();
    assertThat(store.log).isEmpty();
    status = Optional.of(new Status.Assigned(COMMIT, Optional.of(new Tag(1, 2))));
    assertThat(settlement.resolve(ID, List.of(FOLLOWER), YOUNG)).isTrue();
    assertThat(store.log).containsExactly("abort plant=false", "heal follower 0");
  }

  /** A2, A3: what the leader holds is believed, not what was sent. */
  @Test
  void whatTheLeaderHoldsAfterwardsIsBelieved() throws IOException {
    store.leader = state(TransactionState.PENDING);
    store.leaderAfterRead = Optional.of(committed(TransactionState.COMMITTED));
    status = Optional.of(new Status.Unknown(Optional.empty()));
    assertThat(follower(OVER)).isEqualTo(Result.SETTLED);
    assertThat(store.log).containsExactly("abort plant=false", "heal follower " + COMMIT);
    store.log.clear();
    store.leader = state(TransactionState.PENDING);
    store.leaderAfterRead = Optional.of(state(TransactionState.ABORTED));
    status = Optional.of(new Status.Passed(COMMIT, Tag.NONE));
    assertThat(follower(OVER)).isEqualTo(Result.SETTLED);
    assertThat(store.log).containsExactly("commit " + COMMIT, "heal follower 0");
    store.log.clear();
    store.leader = state(TransactionState.PENDING);
    store.leaderAfterRead = Optional.of(Outcome.NOTHING);
    assertThat(follower(OVER)).isEqualTo(Result.LEFT);
    assertThat(store.log).containsExactly("commit " + COMMIT);
  }

  /** M10, M6: an absent leader is planted; below the safe point its absence is for good. */
  @Test
  void anAbsentLeaderIsPlantedOrProvenToBeAbsentForGood() throws IOException {
    store.leader = Outcome.NOTHING;
    assertThat(follower(OVER)).isEqualTo(Result.SETTLED);
    assertThat(store.log).containsExactly("abort plant=true", "heal follower 0");
    store.log.clear();
    store.leader = Outcome.NOTHING;
    store.belowSafePoint = true;
    assertThat(follower(OVER)).isEqualTo(Result.SETTLED);
    assertThat(store.log).containsExactly("abort plant=true", "read follower", "heal follower 0");
    assertThat(asked).isEmpty();
  }

  /**
   * The follower was met pending; then its client healed it, made the leader FINAL, and a
   * compaction took that away. That it is absent proves nothing about who is not pending any more.
   */
  @Test
  void aFollowerThatWasHealedBeforeItsLeaderWasCollectedIsLeftAlone() throws IOException {
    store.leader = Outcome.NOTHING;
    store.belowSafePoint = true;
    store.followers.put(FOLLOWER, committed(TransactionState.COMMITTED));
    assertThat(settlement.settle(ID, List.of(FOLLOWER, OTHER), Optional.empty(), OVER))
        .isEqualTo(Result.SETTLED);
    assertThat(store.log)
        .containsExactly("abort plant=true", "read follower", "read other", "heal other 0");
    store.log.clear();
    store.followers.put(FOLLOWER, Outcome.NOTHING); // frozen meanwhile
    assertThat(follower(OVER)).isEqualTo(Result.SETTLED);
    assertThat(store.log).containsExactly("abort plant=true", "read follower");
  }

  @Test
  void aCommittedLeaderIsFinalOnlyAfterEveryFollowerOfItsList() throws IOException {
    store.leader = committed(TransactionState.COMMITTED);
    TransactionCell cell =
        TransactionCell.leader(List.of(FOLLOWER, OTHER), true, 1)
            .withState(TransactionState.COMMITTED, COMMIT);
    assertThat(settlement.settle(ID, List.of(), Optional.of(cell), YOUNG))
        .isEqualTo(Result.SETTLED);
    assertThat(store.log)
        .containsExactly("heal follower " + COMMIT, "heal other " + COMMIT, "finish " + COMMIT);
    store.log.clear();
    store.failHealing = true;
    assertThatThrownBy(() -> settlement.settle(ID, List.of(), Optional.of(cell), YOUNG))
        .isInstanceOf(IOException.class);
    assertThat(store.log).doesNotContain("finish " + COMMIT);
  }

  /** A cell written past its region server is refused there, and decides nothing. */
  @Test
  void aCommittedLeaderThatItsServerRefusesHealsNobody() {
    TransactionCell cell =
        TransactionCell.leader(List.of(FOLLOWER, OTHER), true, 1)
            .withState(TransactionState.COMMITTED, COMMIT);
    store.corrupt = true;
    assertThatThrownBy(() -> settlement.settle(ID, List.of(OTHER), Optional.of(cell), OVER))
        .hasMessage("corrupt");
    assertThat(store.log).isEmpty();
  }

  /** R5: a leader without the whole list may have followers that nobody knows of. */
  @Test
  void aLeaderWithoutTheWholeListIsLeftToItsClientWhileThatMayBeAtWork() throws IOException {
    store.leader = committed(TransactionState.COMMITTED);
    assertThat(settlement.settle(ID, List.of(OTHER), Optional.of(unlisted()), YOUNG))
        .isEqualTo(Result.UNLISTED);
    assertThat(store.log).containsExactly("heal other " + COMMIT);
    assertThat(search.isDue()).isFalse();
  }

  /** R5: FINAL allows a collector to drop it, so every follower comes first. */
  @Test
  void aLeaderWithoutTheWholeListIsFinalWhenAllFollowersHaveBeenSought() throws IOException {
    passOverAnUnlistedLeader(ID);
    assertThat(store.log).isEmpty();
    assertThat(search.run()).isEqualTo(1);
    assertThat(store.log).containsExactly("heal everywhere 1 " + COMMIT, "finish " + COMMIT);
    store.log.clear();
    store.failHealing = true;
    passOverAnUnlistedLeader(ID);
    assertThatThrownBy(search::run).isInstanceOf(IOException.class);
    assertThat(store.log).isEmpty();
  }

  private void passOverAnUnlistedLeader(TransactionId id) throws IOException {
    store.leader = committed(TransactionState.COMMITTED);
    assertThat(settlement.settle(id, List.of(), Optional.of(unlisted()), OVER))
        .isEqualTo(Result.UNLISTED);
  }

  private static TransactionCell unlisted() {
    return TransactionCell.leader(List.of(FOLLOWER), false, 1)
        .withState(TransactionState.COMMITTED, COMMIT);
  }

  /** Its list may have been read before the last flush. */
  @Test
  void theListOfALeaderThatWasReadPendingIsNotBelieved() throws IOException {
    store.leader = state(TransactionState.PENDING);
    status = Optional.of(new Status.Passed(COMMIT, Tag.NONE));
    TransactionCell cell = TransactionCell.leader(List.of(FOLLOWER), true, 1);
    assertThat(settlement.settle(ID, List.of(), Optional.of(cell), OVER)).isEqualTo(Result.SETTLED);
    assertThat(store.log).containsExactly("commit " + COMMIT);
  }

  /** A reader does as for its own sake: what is stated as never passing it aborts. */
  @Test
  void whereAReaderWaitsWhatNeverPassesIsAbortedWhateverItsAge() throws IOException {
    store.leader = state(TransactionState.PENDING);
    status = Optional.of(new Status.Unknown(Optional.of(new Tag(1, 2))));
    assertThat(resolve()).isTrue();
    assertThat(store.log).containsExactly("abort plant=false", "heal follower 0");
    store.log.clear();
    store.leader = Outcome.NOTHING;
    status = Optional.of(new Status.Conflict(Tag.NONE));
    assertThat(resolve()).isTrue();
    assertThat(store.log).containsExactly("abort plant=true", "heal follower 0");
    store.log.clear();
    store.leader = state(TransactionState.PENDING);
    status = Optional.of(new Status.Passed(COMMIT, Tag.NONE));
    assertThat(resolve()).isTrue();
    assertThat(store.log).containsExactly("commit " + COMMIT, "heal follower " + COMMIT);
  }

  /** Old or not: the server of an absent leader plants without a proof what is old enough. */
  @Test
  void whereAReaderWaitsWhatMayBeAtWorkIsLeft() throws IOException {
    status = Optional.of(new Status.NotRequested());
    for (Outcome leader : List.of(state(TransactionState.PENDING), Outcome.NOTHING)) {
      store.leader = leader;
      assertThat(resolve()).isFalse();
    }
    assertThat(store.log).isEmpty();
  }

  /** In a table that is being changed: no flush can bring the leader any more. */
  @Test
  void whereAReaderWaitsALeaderThatCannotComeIsAbsentForGood_thoughNothingWasRequested()
      throws IOException {
    status = Optional.of(new Status.NotRequested());
    store.leader = Outcome.NOTHING;
    store.closed = true;
    store.belowSafePoint = true;
    assertThat(follower(YOUNG)).isEqualTo(Result.LEFT);
    assertThat(resolve()).isTrue();
    assertThat(store.log).containsExactly("abort plant=true", "read follower", "heal follower 0");
  }

  /** ADR 47, ADR 64: a waiting reader learns the outcome, others when the transaction is over. */
  @Test
  void aLeaderWithoutATableIsAbsentForGoodForAReaderThatWaits() throws IOException {
    store.dropped = true;
    assertThat(follower(YOUNG)).isEqualTo(Result.LEFT);
    assertThat(store.log).isEmpty();
    assertThat(resolve()).isTrue();
    assertThat(store.log).containsExactly("read follower", "heal follower 0");
    store.log.clear();
    store.followers.put(FOLLOWER, committed(TransactionState.COMMITTED));
    assertThat(resolve()).isTrue();
    assertThat(store.log).containsExactly("read follower");
    assertThat(asked).isEmpty();
  }

  private boolean resolve() throws IOException {
    return settlement.resolve(ID, List.of(FOLLOWER), YOUNG);
  }

  @Test
  void withoutAManagerNothingIsDecided() {
    store.leader = state(TransactionState.PENDING);
    assertThatThrownBy(() -> follower(OVER)).isInstanceOf(IOException.class);
    assertThat(store.log).isEmpty();
  }

  private Result follower(long over) throws IOException {
    return settlement.settle(ID, List.of(FOLLOWER), Optional.empty(), over);
  }

  private Status ask(long start) throws IOException {
    asked.add("status");
    return status.orElseThrow(() -> new IOException("the manager is away"));
  }

  private static RowFamily place(String row) {
    return new RowFamily("t", Bytes.utf8(row), Bytes.utf8("f"));
  }

  private static Outcome state(TransactionState state) {
    return new Outcome(Optional.of(state), 0, false);
  }

  private static Outcome committed(TransactionState state) {
    return new Outcome(Optional.of(state), COMMIT, false);
  }

  record ManualClock(AtomicLong nanos) implements Clock {
    @Override
    public long wallMillis() {
      throw new UnsupportedOperationException();
    }

    @Override
    public long monotonicNanos() {
      return nanos.get();
    }
  }

  /** A leader, and what was done. */
  private static final class Store implements HealingStore {

    private final List<String> log = new ArrayList<>();
    private Outcome leader = Outcome.NOTHING;

    /** Those that are not pending any more. */
    private final Map<RowFamily, Outcome> followers = new HashMap<>();

    private Optional<Outcome> leaderAfterRead = Optional.empty();
    private boolean belowSafePoint;

    private boolean closed;
    private boolean failHealing;
    private boolean corrupt;
    private boolean dropped;

    @Override
    public Outcome read(long start, RowFamily place) throws IOException {
      if (corrupt) {
        throw new IOException("corrupt");
      }
      if (place.equals(LEADER) && dropped) {
        throw new AbsentForGoodException(place, "test", new IOException("no such table"));
      }
      if (!place.equals(LEADER)) {
        log.add("read " + place.row().toUtf8());
        return followers.getOrDefault(place, state(TransactionState.PENDING));
      }
      Outcome read = leader;
      leader = leaderAfterRead.orElse(leader);
      return read;
    }

    @Override
    public Outcome commitLeader(TransactionId id, Status.Passed passed) {
      log.add("commit " + passed.commitTimestamp());
      if (leader.is(TransactionState.PENDING)) {
        leader = committed(TransactionState.COMMITTED);
      }
      return leader;
    }

    @Override
    public Outcome abortLeader(TransactionId id, boolean plant, Proof proof) throws IOException {
      log.add("abort plant=" + plant);
      if (leader.state().isEmpty() && plant && belowSafePoint) {
        throw new AbsentForGoodException(id.leader(), "test", new IOException("refused"));
      }
      if (leader.is(TransactionState.PENDING) || (leader.state().isEmpty() && plant)) {
        leader = state(TransactionState.ABORTED);
      }
      return leader;
    }

    @Override
    public boolean isClosedTo(TransactionId id) {
      return closed;
    }

    @Override
    public void finishLeader(TransactionId id, long commitTimestamp) {
      log.add("finish " + commitTimestamp);
    }

    @Override
    public Set<TransactionId> healEverywhere(Map<TransactionId, Long> commits) throws IOException {
      if (failHealing) {
        throw new IOException("a server is away");
      }
      long commit = commits.values().iterator().next();
      log.add("heal everywhere " + commits.size() + " " + commit);
      return commits.keySet();
    }

    @Override
    public void heal(TransactionId id, Collection<RowFamily> places, long commitTimestamp)
        throws IOException {
      if (failHealing) {
        throw new IOException("a server is away");
      }
      for (RowFamily place : places) {
        Outcome known = followers.getOrDefault(place, state(TransactionState.PENDING));
        if (!known.is(TransactionState.PENDING) && known.commitTimestamp() != commitTimestamp) {
          throw new IOException("CORRUPT: transaction has two fates"); // as StateRules does
        }
        log.add("heal " + place.row().toUtf8() + " " + commitTimestamp);
      }
    }
  }
}
