package io.lampone.coprocessor.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.Fates;
import io.lampone.coprocessor.core.FastServer;
import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.RegularWrite;
import io.lampone.coprocessor.core.intent.RowDecision;
import io.lampone.coprocessor.core.intent.StateRules;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.Settle;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.ClusterKey;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.KeyRing;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.ProofsFrom;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.trust.TermKeys;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ProofCheckTest {

  private static final long START = 0x1900000000000100L;
  private static final long OTHER_TERM = START + (1L << 46);
  private static final Bytes R = Bytes.utf8("r");
  private static final Bytes F = Bytes.utf8("f");

  private final Proofs manager = new Proofs(new ClusterKey(Bytes.wrap(key())));
  private final AtomicInteger looked = new AtomicInteger();
  private final AtomicInteger asked = new AtomicInteger();
  private final ProofCheck proofs = proofs(new OneTerm());

  private ProofCheck proofs(KeyRing ring) {
    return new ProofCheck(
        ring, Duration.ofSeconds(2), true, asked::incrementAndGet, SystemClock.INSTANCE);
  }

  @Test
  void aGrantOfItsStart_isAccepted_andItsSecretIsComputedOnce() {
    Grant grant = manager.grant(START, 2);
    proofs.requireOwner(START, grant);
    proofs.requireOwner(START + 2 * Timestamps.TICK, grant);
    assertThat(looked).hasValue(1);
  }

  @Test
  void whatProvesNothing_isRefused() {
    Grant grant = manager.grant(START, 2);
    proofs.requireOwner(START, grant);
    refused(Code.UNPROVED, START, Proof.NONE);
    refused(Code.UNPROVED, START - Timestamps.TICK, grant);
    refused(Code.UNPROVED, START + 3 * Timestamps.TICK, grant);
    refused(Code.UNPROVED, START + 1, grant);
    refused(Code.UNPROVED, START, new Grant(START, 3, grant.secret()));
    refused(Code.UNPROVED, START, new Grant(START, 2, new Tag(grant.secret().first(), 0)));
    refused(Code.UNPROVED, START, Proofs.OPEN.grant(START, 2));
  }

  @Test
  void aGrantOfAnUnknownTerm_isToComeAgain_andTheKeysAreAskedFor() {
    refused(Code.NOT_READY, OTHER_TERM, manager.grant(OTHER_TERM, 0));
    assertThat(asked).hasValue(1);
  }

  /**
   * A client that may write the rows could end the transaction of another client, or write into it.
   */
  @Test
  void aRequestInTheNameOfATransaction_isAdmittedWithItsGrantOnly() {
    Grant own = manager.grant(START, 0);
    Grant foreign = manager.grant(START + Timestamps.TICK, 0);
    for (Grant grant : List.of(own, foreign)) {
      for (RegionRequest request : requests(grant)) {
        RegularWrite write = new RegularWrite(request, rules(), setting());
        if (grant == own) {
          write.admit();
        } else {
          assertThatThrownBy(write::admit).as("%s", request).hasMessageContaining("UNPROVED");
        }
      }
    }
    // Those of others show none; what they may do is decided by the state of the leader.
    new RegularWrite(new AbortLeader(START, 0, R, F, false, Proof.NONE), rules(), setting())
        .admit();
  }

  /** A client that may write the family of a leader could decide the transaction as it liked. */
  @Test
  void aTransaction_isDecidedByWhatTheTransactionManagerStatesOnly() {
    long commit = START + Timestamps.TICK;
    Tag pass = manager.pass(START, commit);
    Tag voided = manager.voided(START);
    admitted(new CommitLeader(START, 0, R, F, commit, pass));
    admitted(new AbortLeader(START, 0, R, F, true, new Proof.Voided(voided)));
    Tag healed = manager.healed(START, commit);
    admitted(new FinishLeader(START, 0, R, F, commit, new Proof.Healed(healed)));
    for (RegionRequest request :
        List.of(
            new CommitLeader(START, 0, R, F, commit, Tag.NONE),
            new CommitLeader(START, 0, R, F, commit, voided),
            new CommitLeader(START, 0, R, F, commit, Proofs.OPEN.pass(START, commit)),
            new CommitLeader(START, 0, R, F, commit + Timestamps.TICK, pass),
            new CommitLeader(START - Timestamps.TICK, 0, R, F, commit, pass),
            new AbortLeader(START, 0, R, F, true, new Proof.Voided(pass)),
            new AbortLeader(START + Timestamps.TICK, 0, R, F, true, new Proof.Voided(voided)),
            new FinishLeader(START, 0, R, F, commit, Proof.NONE),
            new FinishLeader(START, 0, R, F, commit, new Proof.Voided(voided)),
            new FinishLeader(START, 0, R, F, commit, new Proof.Healed(pass)),
            new FinishLeader(START, 0, R, F, commit + 256, new Proof.Healed(healed)),
            new AbortLeader(START, 0, R, F, true, new Proof.Healed(healed)))) {
      assertThatThrownBy(() -> admitted(request))
          .as("%s", request)
          .hasMessageContaining("UNPROVED");
    }
    Tag ofUnknownTerm = manager.pass(START, OTHER_TERM);
    assertThatThrownBy(() -> admitted(new CommitLeader(START, 0, R, F, OTHER_TERM, ofUnknownTerm)))
        .hasMessageContaining("NOT_READY");
    assertThat(asked).hasValue(1);
  }

  /** A client that may write a follower's row could give it an outcome of its own. */
  @Test
  void aHeal_showsWhatItsLeadersServerStates() {
    long commit = START + Timestamps.TICK;
    RowFamily leader = new RowFamily("t", R, F);
    RowFamily stranger = new RowFamily("t", Bytes.utf8("stranger"), F);
    TransactionId id = new TransactionId(START, leader);
    Fate committed = new Fate(commit, manager.fate(id, commit));
    Fate aborted = new Fate(0, manager.fate(id, 0));
    admitted(heal(START, leader, committed));
    admitted(heal(START, leader, aborted));
    for (Heal heal :
        List.of(
            heal(START, leader, new Fate(commit, Tag.NONE)),
            heal(START, leader, Fate.INVISIBLE),
            heal(START, leader, new Fate(0, committed.tag())),
            heal(START, leader, new Fate(commit + Timestamps.TICK, committed.tag())),
            heal(START, leader, new Fate(commit, manager.pass(START, commit))),
            heal(START, leader, Fates.of(id, commit)),
            heal(START + Timestamps.TICK, leader, aborted),
            heal(START, stranger, committed))) {
      assertThatThrownBy(() -> admitted(heal)).as("%s", heal).hasMessageContaining("UNPROVED");
      if (heal.commitTimestamp() != 0) {
        assertThatThrownBy(() -> admitted(new Settle(0, List.of(heal))))
            .hasMessageContaining("UNPROVED");
      }
    }
    assertThatThrownBy(() -> admitted(heal(OTHER_TERM, leader, aborted)))
        .hasMessageContaining("NOT_READY");
  }

  /** An undecided leader states nothing, and only a leader does. */
  @Test
  void aFate_isStatedByDecidedLeadersOnly() throws Exception {
    TransactionCell pending = TransactionCell.leader(List.of(), true, 1);
    long commit = START + Timestamps.TICK;
    TransactionId id = new TransactionId(START, new RowFamily("t", MemoryRow.ROW, F));
    assertThat(read(pending).tag()).isEqualTo(Tag.NONE);
    for (TransactionState state : List.of(TransactionState.COMMITTED, TransactionState.FINAL)) {
      TransactionCell proved =
          pending.withState(state, commit).provedBy(manager.pass(START, commit));
      assertThat(manager.verifyFate(id, read(proved).fate())).isEqualTo(Proofs.Verdict.VALID);
    }
    Outcome aborted = read(pending.withState(TransactionState.ABORTED, 0));
    assertThat(manager.verifyFate(id, aborted.fate())).isEqualTo(Proofs.Verdict.VALID);
    TransactionCell follower =
        TransactionCell.follower(new RowFamily("t", R, F), 1)
            .withState(TransactionState.COMMITTED, commit);
    assertThat(read(follower).tag()).isEqualTo(Tag.NONE);
    assertThat(read(follower).commitTimestamp()).isEqualTo(commit);
  }

  /** A cell written into a table past the observer commits no transaction. */
  @Test
  void aCommittedLeader_statesNothing_unlessItShowsThePass() throws Exception {
    long commit = START + Timestamps.TICK;
    TransactionCell bare =
        TransactionCell.leader(List.of(), true, 1).withState(TransactionState.COMMITTED, commit);
    Tag pass = manager.pass(START, commit);
    for (TransactionCell cell :
        List.of(
            bare,
            bare.provedBy(new Tag(1, 2)),
            bare.provedBy(Proofs.OPEN.pass(START, commit)),
            bare.provedBy(manager.pass(START - Timestamps.TICK, commit)),
            bare.withState(TransactionState.COMMITTED, commit + Timestamps.TICK).provedBy(pass),
            bare.withState(TransactionState.FINAL, commit))) {
      assertThatThrownBy(() -> read(cell)).as("%s", cell).hasMessageContaining("CORRUPT");
      assertThatThrownBy(() -> met(cell)).as("%s", cell).hasMessageContaining("CORRUPT");
      CommitLeader again = new CommitLeader(START, 0, MemoryRow.ROW, F, commit, pass);
      AbortLeader abort = new AbortLeader(START, 0, MemoryRow.ROW, F, false, Proof.NONE);
      FinishLeader finish =
          new FinishLeader(START, 0, MemoryRow.ROW, F, commit, manager.grant(START, 0));
      for (RegionRequest request : List.of(again, abort, finish)) {
        assertThatThrownBy(() -> decide(request, cell)).hasMessageContaining("CORRUPT");
      }
    }
  }

  @Test
  void theCommitOfALeader_isStoredWithItsPass_whichFinishingKeeps() throws Exception {
    long commit = START + Timestamps.TICK;
    Tag pass = manager.pass(START, commit);
    TransactionCell committed =
        written(
            decide(
                new CommitLeader(START, 0, MemoryRow.ROW, F, commit, pass),
                TransactionCell.leader(List.of(), true, 1)));
    assertThat(committed.pass()).isEqualTo(pass);
    assertThat(read(committed).is(TransactionState.COMMITTED)).isTrue();
    TransactionCell done =
        written(
            decide(
                new FinishLeader(START, 0, MemoryRow.ROW, F, commit, manager.grant(START, 0)),
                committed));
    assertThat(done).isEqualTo(committed.withState(TransactionState.FINAL, commit));
  }

  /** Leaders of before the upgrade, and of before the cluster key. */
  @Test
  void aLeaderWithoutAProof_isBelievedBelowWhatTheManagersHaveStatedOnly() {
    long commit = START + Timestamps.TICK;
    TransactionCell bare =
        TransactionCell.leader(List.of(), true, 1).withState(TransactionState.COMMITTED, commit);
    TransactionCell ofOtherKey = bare.provedBy(Proofs.OPEN.pass(START, commit));
    ProofCheck fresh = proofs(new OneTerm());
    Optional<ProofsFrom> forged = Optional.of(new ProofsFrom(commit + 256, new Tag(1, 2)));
    for (Optional<ProofsFrom> nothing : List.of(Optional.<ProofsFrom>empty(), forged)) {
      assertThatThrownBy(() -> fresh.isProved(START, bare, nothing))
          .hasMessageContaining("NOT_READY");
    }
    Optional<ProofsFrom> later = Optional.of(manager.proofsFrom(commit + Timestamps.TICK));
    assertThat(fresh.isProved(START, bare, later)).isTrue();
    assertThat(fresh.isProved(START, ofOtherKey, later)).isTrue();
    assertThat(fresh.isProved(commit, bare, later)).as("before its start").isFalse();
    Optional<ProofsFrom> now = Optional.of(manager.proofsFrom(commit));
    assertThat(fresh.isProved(START, bare, now)).isFalse();
    // A foreign hand can neither move it nor take it away.
    assertThat(fresh.isProved(START, bare, forged)).isFalse();
    assertThat(fresh.isProved(START, bare, Optional.empty())).isFalse();
  }

  private List<RowDecision> decide(RegionRequest request, TransactionCell cell) throws Exception {
    RegularWrite write = new RegularWrite(request, rules(), setting());
    write.admit();
    return write.decide(List.of(new MemoryRow().put(F, START, cell)));
  }

  private static TransactionCell written(List<RowDecision> decisions) {
    return TransactionCell.decode(decisions.get(0).writes().get(0).value().toArray());
  }

  /** What a reader has met is asked for by name; the leader is the one that is stored [W17]. */
  @Test
  void aRowThatWasMet_namesItsOwnLeader() throws Exception {
    RowFamily leader = new RowFamily("elsewhere", Bytes.utf8("x"), F);
    TransactionCell pending = TransactionCell.follower(leader, 1);
    StateRules.Met met = met(pending);
    assertThat(met.undecided()).contains(new TransactionId(START, leader));
    assertThat(met.outcome().tag()).isEqualTo(Tag.NONE);
    long commit = START + Timestamps.TICK;
    StateRules.Met healed = met(pending.withState(TransactionState.COMMITTED, commit));
    assertThat(healed.undecided()).isEmpty();
    assertThat(healed.outcome().commitTimestamp()).isEqualTo(commit);
    assertThat(healed.outcome().tag()).as("a follower may have been put there").isEqualTo(Tag.NONE);
    StateRules.Met aborted = met(pending.withState(TransactionState.ABORTED, 0));
    assertThat(aborted.outcome().tag()).isEqualTo(Tag.NONE);
    assertThat(StateRules.met(START, new MemoryRow(), setting().guards()).outcome())
        .isEqualTo(Outcome.NOTHING);
  }

  /** A reader of one table must not learn of rows in another one. */
  @Test
  void aLeaderInAnotherTable_isShownUnderAName_whichJudgmentsMayUse() {
    RowFamily leader = new RowFamily("secret", Bytes.utf8("secret row"), F);
    TransactionId id = new TransactionId(START, leader);
    TransactionId shown = proofs.shown("t", id);
    assertThat(shown.startTimestamp()).isEqualTo(START);
    assertThat(shown.leader().table()).isEmpty();
    assertThat(shown.leader().row().length()).isEqualTo(Tag.BYTES);
    assertThat(proofs.shown("t", id)).isEqualTo(shown);
    RowFamily other = new RowFamily("secret", Bytes.utf8("other row"), F);
    assertThat(proofs.shown("t", new TransactionId(START, other))).isNotEqualTo(shown);
    assertThat(proofs.shown("secret", id)).isEqualTo(id);
    assertThatThrownBy(() -> proofs.shown("t", new TransactionId(OTHER_TERM, leader)))
        .hasMessageContaining("NOT_READY");
    Statements statements =
        new Statements() {
          @Override
          public boolean isStated(TransactionId named, Fate fate) {
            return proofs.isStated(named, fate);
          }

          @Override
          public TransactionId shown(String table, TransactionId named) {
            return proofs.shown(table, named);
          }
        };
    long commit = START + Timestamps.TICK;
    TransactionCell intent = TransactionCell.follower(leader, 1);
    Map<Fate, ReadView.Verdict> verdicts =
        Map.of(
            Fate.INVISIBLE,
            ReadView.Verdict.INVISIBLE,
            new Fate(commit, manager.fate(id, commit)),
            ReadView.Verdict.VISIBLE,
            new Fate(commit, manager.fate(shown, commit)),
            ReadView.Verdict.UNDECIDED);
    verdicts.forEach(
        (fate, verdict) -> {
          ReadRequest request =
              new ReadRequest(commit + 256, false, 0, SlotSet.NONE, Map.of(shown, fate));
          assertThat(new SnapshotView(request, statements).of(START, intent, new MemoryRow(), F))
              .isEqualTo(verdict);
        });
  }

  private StateRules.Met met(TransactionCell cell) throws Exception {
    return StateRules.met(START, new MemoryRow().put(F, START, cell), setting().guards());
  }

  private Outcome read(TransactionCell cell) throws Exception {
    return StateRules.leader(F, START, new MemoryRow().put(F, START, cell), setting().guards());
  }

  private static Heal heal(long start, RowFamily leader, Fate fate) {
    return new Heal(start, 0, List.of(Bytes.utf8("follower")), leader, fate);
  }

  /** A client's own patience is what it says: the server looks how old the transaction is. */
  @Test
  void withoutAProof_aTransactionIsAborted_whenItIsOldOrCannotPass() throws Exception {
    AbortLeader abort = new AbortLeader(START, 0, R, F, false, Proof.NONE);
    long young = proofs.abortableBelow(START + Duration.ofSeconds(2).toNanos());
    long old = proofs.abortableBelow(START + Duration.ofSeconds(2).toNanos() + Timestamps.TICK);
    assertThat(stateAfter(abort, rules(), young)).isEqualTo(TransactionState.PENDING);
    assertThat(stateAfter(abort, rules(), old)).isEqualTo(TransactionState.ABORTED);
    TableRules raised = new TableRules("t", ConflictLevel.ROW, START + Timestamps.TICK, 0);
    assertThat(stateAfter(abort, raised, young)).isEqualTo(TransactionState.ABORTED);
    AbortLeader proved = new AbortLeader(START, 0, R, F, false, manager.grant(START, 0));
    assertThat(stateAfter(proved, rules(), young)).isEqualTo(TransactionState.ABORTED);
  }

  private TransactionState stateAfter(AbortLeader abort, TableRules table, long abortableBelow)
      throws Exception {
    MemoryRow row = new MemoryRow().put(F, START, TransactionCell.leader(List.of(), true, 1));
    RegularWrite write = new RegularWrite(abort, table, setting(abortableBelow));
    write.admit();
    return write.decide(List.of(row)).get(0).outcome().state().orElseThrow();
  }

  private void admitted(RegionRequest request) {
    new RegularWrite(request, rules(), setting()).admit();
  }

  private static List<RegionRequest> requests(Grant grant) {
    FinishLeader finish = new FinishLeader(START, 0, R, F, START + Timestamps.TICK, grant);
    return List.of(
        new Flush(START, 0, ConflictLevel.ROW, new RowFamily("t", R, F), 1, List.of(), grant),
        new AbortLeader(START, 0, R, F, true, grant),
        finish,
        new Settle(0, List.of(finish)));
  }

  private RegularWrite.Setting setting() {
    return setting(0);
  }

  private RegularWrite.Setting setting(long abortableBelow) {
    FastServer server = new FastServer(ConflictLevel.ROW);
    RegionGuards guards =
        new OpenGuards() {
          @Override
          public void requireOwner(long start, Proof proof) {
            proofs.requireOwner(start, proof);
          }

          @Override
          public long abortableBelow() {
            return abortableBelow;
          }

          @Override
          public void requirePassed(long start, long commit, Tag pass) {
            proofs.requirePassed(start, commit, pass);
          }

          @Override
          public void requireHealed(long start, long commit, Tag healed) {
            proofs.requireHealed(start, commit, healed);
          }

          @Override
          public void requireFate(TransactionId id, Fate fate) {
            proofs.requireFate(id, fate);
          }

          @Override
          public boolean isProved(long start, TransactionCell leader) {
            return proofs.isProved(start, leader, Optional.of(manager.proofsFrom(START)));
          }

          @Override
          public TransactionCell proved(TransactionCell committed, Tag pass) {
            return committed.provedBy(pass);
          }

          @Override
          public Outcome stated(TransactionId id, Outcome leader) {
            return proofs.stated(id, leader);
          }

          @Override
          public void requireVoided(long start, Tag voided) {
            proofs.requireVoided(start, voided);
          }
        };
    return new RegularWrite.Setting(
        guards,
        server.region.clock(),
        server.region.recent(),
        server.region.settled(),
        server.region.known());
  }

  private static TableRules rules() {
    return new TableRules("t", ConflictLevel.ROW, 0, 0);
  }

  private void refused(Code code, long start, Proof proof) {
    assertThatThrownBy(() -> proofs.requireOwner(start, proof)).hasMessageContaining(code.name());
  }

  private static byte[] key() {
    byte[] key = new byte[ClusterKey.BYTES];
    key[0] = 1;
    return key;
  }

  /** The keys of the cluster's present term alone. */
  private final class OneTerm implements KeyRing {

    private final ClusterKey cluster = new ClusterKey(Bytes.wrap(key()));

    @Override
    public Optional<TermKeys> keys(int term) {
      looked.incrementAndGet();
      return term == TermKeys.termOf(START) ? cluster.keys(term) : Optional.empty();
    }
  }
}
