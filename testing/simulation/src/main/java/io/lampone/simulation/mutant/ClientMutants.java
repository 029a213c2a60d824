package io.lampone.simulation.mutant;

import io.lampone.client.core.FastPathStore;
import io.lampone.client.core.FastPathStore.End;
import io.lampone.client.core.Session;
import io.lampone.client.core.step.Gate;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.simulation.client.PassingStore;
import io.lampone.simulation.hbase.FastReadSteps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Mistakes that a client could make towards region servers. */
final class ClientMutants {

  private static final Outcome ABORTED =
      new Outcome(Optional.of(TransactionState.ABORTED), 0, false);

  /** In timestamps. */
  private static final long A_DAY =
      Duration.ofDays(1).toNanos() / Timestamps.TICK * Timestamps.TICK;

  private ClientMutants() {}

  static List<Mutant> all() {
    return Stream.of(commits(), silence(), afterwards(), resolving(), fast(), latest())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Mutant> commits() {
    return List.of(
        Mutant.store(
            "the commit is requested before intents are acknowledged",
            "A6",
            real ->
                new PassingStore(real) {
                  @Override
                  public Step<Void> flush(FlushBatch batch) {
                    return Step.fork(super.flush(batch));
                  }
                }),
        commit(
            "a compare-and-set that changed nothing is taken for an abort",
            "A1",
            (answer, commit) -> answer.map(outcome -> outcome.applied() ? outcome : ABORTED)));
  }

  private static List<Mutant> silence() {
    return List.of(
        commit(
            "silence after the commit is taken for an abort",
            "A2",
            (answer, commit) -> answer.recover(failure -> Step.done(ABORTED))),
        commit(
            "silence after the commit is taken for success",
            "A2",
            (answer, commit) ->
                answer.recover(
                    failure ->
                        Step.done(
                            new Outcome(Optional.of(TransactionState.COMMITTED), commit, true)))),
        Mutant.store(
            "a failure of a flush is not reported",
            "A6, A12",
            real ->
                new PassingStore(real) {
                  @Override
                  public Step<Void> flush(FlushBatch batch) {
                    return super.flush(batch).recover(failure -> new Gate<Void>().passed());
                  }
                }),
        Mutant.store(
            "the leader is FINAL before its followers are healed",
            "A7, A8",
            real ->
                new PassingStore(real) {
                  @Override
                  public Step<Void> heal(
                      TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
                    return Step.fork(super.heal(id, floor, followers, fate));
                  }
                }));
  }

  private static List<Mutant> afterwards() {
    return List.of(
        Mutant.store(
            "followers are aborted before their leader",
            "M11",
            real ->
                new PassingStore(real) {
                  @Override
                  public Step<Outcome> abortLeader(
                      TransactionId id, long floor, boolean plantOnAbsence, Proof proof) {
                    return Step.fork(super.abortLeader(id, floor, plantOnAbsence, proof))
                        .map(begun -> aborted(id));
                  }
                }),
        Mutant.store(
            "a follower is healed to another commit timestamp",
            "R11",
            real ->
                new PassingStore(real) {
                  @Override
                  public Step<Void> heal(
                      TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
                    long commit = fate.commitTimestamp();
                    long other = commit == 0 ? 0 : commit + Timestamps.TICK;
                    return super.heal(
                        id, floor, followers, new Fate(other, Proofs.OPEN.fate(id, other)));
                  }
                }));
  }

  private static List<Mutant> resolving() {
    return List.of(
        Mutant.store(
            "a look at a leader carries no floor",
            "M3",
            real ->
                new PassingStore(real) {
                  @Override
                  public Step<Map<TransactionId, Outcome>> readLeaders(
                      Collection<TransactionId> ids, long floor) {
                    return super.readLeaders(ids, 0);
                  }
                }),
        leaders("an undecided leader is taken for a commit", "B1", ClientMutants::asCommitted),
        leaders(
            "an absent leader is taken for an abort",
            "A4",
            (id, leader) -> leader.state().isEmpty() ? aborted(id) : leader));
  }

  /** With the statement that a server would make: else servers refuse what follows from it. */
  private static Outcome aborted(TransactionId id) {
    return ABORTED.stated(Proofs.OPEN.fate(id, 0));
  }

  private static Outcome asCommitted(TransactionId id, Outcome leader) {
    long commit = id.startTimestamp() + Timestamps.TICK;
    return leader.is(TransactionState.PENDING)
        ? new Outcome(Optional.of(TransactionState.COMMITTED), commit, false)
            .stated(Proofs.OPEN.fate(id, commit))
        : leader;
  }

  private static List<Mutant> fast() {
    return List.of(
        fastRequests(
            "requests of the fast path carry no mark",
            "H16",
            request -> {
              if (request instanceof FastWrite write) {
                return new FastWrite(write.floor(), 0, write.atomic(), write.operations());
              }
              return request instanceof OneRegionCommit commit
                  ? new OneRegionCommit(
                      commit.startTimestamp(),
                      commit.floor(),
                      0,
                      commit.level(),
                      commit.repeated(),
                      commit.intents(),
                      commit.grant(),
                      IssueProof.NONE,
                      commit.reads(),
                      commit.knownSchema())
                  : request;
            }),
        fastRequests(
            "a commit in one region leaves out deletes of families",
            "B3",
            request ->
                request instanceof OneRegionCommit commit ? withoutFamilyDeletes(commit) : request),
        fastRequests(
            "a session's mark comes from the future",
            "D11",
            request ->
                request instanceof FastWrite write && write.mark() != 0
                    ? new FastWrite(
                        write.floor(), write.mark() + A_DAY, write.atomic(), write.operations())
                    : request),
        fastRequests(
            "a repeated operation is not marked as one",
            "E4",
            request ->
                request instanceof FastWrite write
                    ? new FastWrite(
                        write.floor(),
                        write.mark(),
                        write.atomic(),
                        write.operations().stream().map(ClientMutants::asFirst).toList(),
                        write.issued())
                    : request),
        fastEnds(
            "an attempt of unknown outcome is taken for one that was not executed",
            "H9",
            end -> end instanceof End.Lost lost ? new End.NotExecuted(lost.why()) : end));
  }

  private static List<Mutant> latest() {
    return List.of(
        Mutant.fastRead(
            "a read of the latest state takes intents for absent",
            "ADR 32",
            new FastReadSteps() {
              @Override
              public FastReadRequest request(FastReadRequest sent) {
                return sent.wants() == Wants.LATEST && sent.wantsAllIntents()
                    ? FastReadRequest.of(sent.mark(), sent.floor(), Wants.CELLS)
                        .shown(sent.issued())
                    : sent;
              }
            }),
        new Mutant(
            "a read of the latest state goes on at a timestamp of before it began",
            "ADR 32",
            plan ->
                new Parts(plan) {
                  @Override
                  public TimestampOracle readingOracle(TimestampOracle oracle, Session session) {
                    return () -> {
                      long before = session.issued();
                      return oracle
                          .begin()
                          .thenApply(
                              begin ->
                                  before == 0
                                      ? begin
                                      : new Begin(before, begin.floor(), begin.grant()));
                    };
                  }
                }));
  }

  private static FastOperation asFirst(FastOperation operation) {
    return new FastOperation(
        operation.row(),
        operation.id(),
        false,
        operation.firstMark(),
        operation.condition(),
        operation.returnsCells(),
        operation.mutations());
  }

  /** The answer to a commit is taken for another; the change also gets the commit timestamp. */
  private static Mutant commit(
      String name, String trap, BiFunction<Step<Outcome>, Long, Step<Outcome>> change) {
    return Mutant.store(
        name,
        trap,
        real ->
            new PassingStore(real) {
              @Override
              public Step<Outcome> commitLeader(
                  TransactionId id, long floor, long commitTimestamp, Tag pass) {
                return change.apply(
                    super.commitLeader(id, floor, commitTimestamp, pass), commitTimestamp);
              }
            });
  }

  /** A leader that is looked at is taken for another. */
  private static Mutant leaders(
      String name, String trap, BiFunction<TransactionId, Outcome, Outcome> change) {
    return Mutant.store(
        name,
        trap,
        real ->
            new PassingStore(real) {
              @Override
              public Step<Map<TransactionId, Outcome>> readLeaders(
                  Collection<TransactionId> ids, long floor) {
                return super.readLeaders(ids, floor)
                    .map(
                        leaders -> {
                          Map<TransactionId, Outcome> judged = new HashMap<>(leaders);
                          judged.replaceAll(change);
                          return judged;
                        });
              }
            });
  }

  private static OneRegionCommit withoutFamilyDeletes(OneRegionCommit commit) {
    List<RowIntents> rows = new ArrayList<>();
    for (RowIntents row : commit.intents()) {
      List<FamilyIntents> families = new ArrayList<>();
      for (FamilyIntents family : row.families()) {
        List<IntentCell> cells = new ArrayList<>(family.cells());
        cells.removeIf(cell -> cell.kind() == IntentKind.DELETE_FAMILY);
        families.add(
            new FamilyIntents(
                family.family(), family.rolledBackSlots(), family.followers(), cells));
      }
      rows.add(new RowIntents(row.row(), families));
    }
    return new OneRegionCommit(
        commit.startTimestamp(),
        commit.floor(),
        commit.mark(),
        commit.level(),
        commit.repeated(),
        rows,
        commit.grant(),
        commit.issued(),
        commit.reads(),
        commit.knownSchema());
  }

  private static Mutant fastRequests(
      String name, String trap, UnaryOperator<RegionRequest> change) {
    return fastStore(name, trap, change, end -> end);
  }

  private static Mutant fastEnds(String name, String trap, UnaryOperator<End> change) {
    return fastStore(name, trap, request -> request, change);
  }

  private static Mutant fastStore(
      String name,
      String trap,
      UnaryOperator<RegionRequest> requests,
      UnaryOperator<End> changedEnds) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public FastPathStore fastStore(FastPathStore store) {
                return new ChangedFastStore(store, requests, changedEnds);
              }
            });
  }

  private record ChangedFastStore(
      FastPathStore store, UnaryOperator<RegionRequest> requests, UnaryOperator<End> changedEnds)
      implements FastPathStore {

    @Override
    public Step<List<List<Bytes>>> regionsOf(String table, List<Bytes> rows, boolean again) {
      return store.regionsOf(table, rows, again);
    }

    @Override
    public Step<Boolean> mayCommitInOneRegion(String table, List<Bytes> rows) {
      return store.mayCommitInOneRegion(table, rows);
    }

    @Override
    public Step<List<End>> send(
        String table, List<? extends RegionRequest> sent, long deadlineNanos) {
      List<RegionRequest> changed = new ArrayList<>();
      sent.forEach(request -> changed.add(requests.apply(request)));
      return store
          .send(table, changed, deadlineNanos)
          .map(ends -> ends.stream().map(changedEnds).toList());
    }
  }
}
