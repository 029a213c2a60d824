package io.lampone.client.core;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Transaction cells in memory, with the region server's rules for their states. */
final class MemoryStore implements TransactionStore {

  /** What one transaction cell holds. */
  static final class Stored {
    TransactionState state = TransactionState.PENDING;
    long commitTimestamp;
    Optional<RowFamily> leader = Optional.empty();
    SlotSet rolledBack = SlotSet.NONE;
    Optional<FollowerList> followers = Optional.empty();
    int cells;
  }

  final Map<RowFamily, Map<Long, Stored>> cells = new TreeMap<>();
  // the last version of a row that was committed at birth
  final Map<RowFamily, Long> born = new TreeMap<>();
  final List<Certification> certified = new ArrayList<>();
  final List<RangeCertification> certifiedRanges = new ArrayList<>();
  final List<String> log = new ArrayList<>();
  final List<FlushBatch> flushes = new ArrayList<>();
  Optional<StoreRefusedException> refuseNextFlush = Optional.empty();

  @Override
  public Step<Void> flush(FlushBatch batch) {
    log.add("flush");
    flushes.add(batch);
    if (refuseNextFlush.isPresent()) {
      StoreRefusedException refusal = refuseNextFlush.get();
      refuseNextFlush = Optional.empty();
      return Step.failed(refusal);
    }
    batch
        .tables()
        .forEach(
            (table, intents) ->
                intents
                    .rows()
                    .forEach(
                        row -> row.families().forEach(f -> put(batch.id(), table, row.row(), f))));
    return Step.done();
  }

  private void put(TransactionId id, String table, Bytes row, FamilyIntents family) {
    Stored stored =
        cells
            .computeIfAbsent(new RowFamily(table, row, family.family()), p -> new TreeMap<>())
            .computeIfAbsent(id.startTimestamp(), s -> new Stored());
    stored.leader = Optional.of(id.leader());
    stored.rolledBack = family.rolledBackSlots();
    stored.cells += family.cells().size();
    if (family.followers().isPresent()) {
      stored.followers = family.followers();
    }
  }

  @Override
  public Step<Outcome> commitLeader(TransactionId id, long floor, long commitTimestamp, Tag pass) {
    log.add("commitLeader");
    change(id.leader(), id.startTimestamp(), TransactionState.COMMITTED, commitTimestamp);
    return look(id);
  }

  @Override
  public Step<Outcome> abortLeader(
      TransactionId id, long floor, boolean plantOnAbsence, Proof proof) {
    log.add("abortLeader");
    if (plantOnAbsence) {
      cells
          .computeIfAbsent(id.leader(), p -> new TreeMap<>())
          .computeIfAbsent(id.startTimestamp(), s -> new Stored());
    }
    change(id.leader(), id.startTimestamp(), TransactionState.ABORTED, 0);
    return look(id);
  }

  @Override
  public Step<Outcome> finishLeader(
      TransactionId id, long floor, long commitTimestamp, Proof proof) {
    log.add("finishLeader");
    Stored stored = at(id.leader(), id.startTimestamp());
    if (stored != null && stored.state == TransactionState.COMMITTED) {
      stored.state = TransactionState.FINAL;
    }
    return look(id);
  }

  @Override
  public Step<Void> heal(TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
    log.add("heal");
    if (Proofs.OPEN.verifyFate(id, fate) != Proofs.Verdict.VALID) {
      return Step.failed(new AssertionError("healed without a statement"));
    }
    long commitTimestamp = fate.commitTimestamp();
    for (RowFamily follower : followers) {
      Stored stored = at(follower, id.startTimestamp());
      if (stored != null && stored.leader.isPresent() && !stored.leader.get().equals(id.leader())) {
        return Step.failed(
            new AssertionError("healed by another leader's fate, follower=" + follower));
      }
      change(
          follower,
          id.startTimestamp(),
          commitTimestamp == 0 ? TransactionState.ABORTED : TransactionState.COMMITTED,
          commitTimestamp);
    }
    return Step.done();
  }

  /** As region servers that see all births at once. */
  @Override
  public Step<Optional<Changed>> certify(Certification wanted) {
    log.add("certify");
    certified.add(wanted);
    for (ReadSet.Point point : wanted.points()) {
      long version = born.getOrDefault(point.place(), 0L);
      if (version > wanted.startTimestamp() && version < wanted.commitTimestamp()) {
        return Step.done(Optional.of(new Changed(point.place(), version)));
      }
    }
    return Step.done(Optional.empty());
  }

  /** As region servers that see all births at once, at level ROW. */
  @Override
  public Step<RangeFindings> certify(RangeCertification wanted) {
    log.add("certifyRange");
    certifiedRanges.add(wanted);
    SortedSet<RowFamily> places = new TreeSet<>(cells.keySet());
    places.addAll(born.keySet());
    places.removeIf(
        place ->
            !place.table().equals(wanted.range().table())
                || !wanted.range().rows().contains(place.row()));
    List<IntentResolver.Intent> undecided = new ArrayList<>();
    for (RowFamily place : places) {
      Set<Long> commits = new TreeSet<>(Set.of(born.getOrDefault(place, 0L)));
      cells
          .getOrDefault(place, Map.of())
          .forEach(
              (start, stored) -> {
                TransactionId id = new TransactionId(start, stored.leader.orElse(place));
                Fate judged = wanted.judgments().get(id);
                if (start == wanted.at().startTimestamp()
                    || start >= wanted.at().commitTimestamp()) {
                  return;
                }
                if (stored.state.isCommitted()) {
                  commits.add(stored.commitTimestamp);
                } else if (stored.state == TransactionState.PENDING && judged == null) {
                  undecided.add(new IntentResolver.Intent(id, place));
                } else if (stored.state == TransactionState.PENDING) {
                  commits.add(judged.commitTimestamp());
                }
              });
      for (long commit : commits) {
        if (commit > wanted.at().startTimestamp() && commit < wanted.at().commitTimestamp()) {
          return Step.done(
              new RangeFindings(Optional.of(new Changed(place, commit)), List.of(), Bytes.EMPTY));
        }
      }
    }
    return Step.done(
        undecided.isEmpty()
            ? RangeFindings.UNCHANGED
            : new RangeFindings(Optional.empty(), undecided, undecided.get(0).place().row()));
  }

  /** As a region server that has found the leader decided, or absent for good. */
  @Override
  public Step<Outcome> resolve(IntentResolver.Intent intent, long floor) {
    log.add("resolve");
    TransactionId id = intent.id();
    Outcome leader = outcome(id, id.leader());
    if (leader.is(TransactionState.PENDING)) {
      return Step.failed(
          new StoreRefusedException(
              intent.place().table(), Refusal.of(Refusal.Code.NOT_READY, "later"), null));
    }
    boolean committed = leader.state().map(TransactionState::isCommitted).orElse(false);
    change(
        intent.place(),
        id.startTimestamp(),
        committed ? TransactionState.COMMITTED : TransactionState.ABORTED,
        leader.commitTimestamp());
    return Step.done(outcome(id, intent.place()));
  }

  @Override
  public Step<Map<TransactionId, Outcome>> readLeaders(Collection<TransactionId> ids, long floor) {
    log.add("readLeaders");
    Map<TransactionId, Outcome> leaders = new java.util.HashMap<>();
    ids.forEach(id -> leaders.put(id, outcome(id, id.leader())));
    return Step.done(leaders);
  }

  /** Where the leader of a transaction is that has flushed something. */
  RowFamily leaderOf(long start, RowFamily otherwise) {
    return flushes.stream()
        .filter(flush -> flush.id().startTimestamp() == start)
        .map(flush -> flush.id().leader())
        .findFirst()
        .orElse(otherwise);
  }

  Stored at(RowFamily place, long start) {
    return cells.getOrDefault(place, Map.of()).get(start);
  }

  private void change(RowFamily place, long start, TransactionState state, long commitTimestamp) {
    Stored stored = at(place, start);
    if (stored != null && stored.state == TransactionState.PENDING) {
      stored.state = state;
      stored.commitTimestamp = commitTimestamp;
    }
  }

  private Step<Outcome> look(TransactionId id) {
    return Step.done(outcome(id, id.leader()));
  }

  private Outcome outcome(TransactionId id, RowFamily place) {
    Stored stored = at(place, id.startTimestamp());
    if (stored == null) {
      return Outcome.NOTHING;
    }
    Outcome found = new Outcome(Optional.of(stored.state), stored.commitTimestamp, false);
    return found.isDecided() ? found.stated(Proofs.OPEN.fate(id, found.commitTimestamp())) : found;
  }

  static StoreRefusedException conflict(String table, Bytes row, long winner) {
    return new StoreRefusedException(
        table, Refusal.conflict(row, winner, "somebody was faster"), null);
  }
}
