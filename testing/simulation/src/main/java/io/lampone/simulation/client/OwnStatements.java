package io.lampone.simulation.client;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.StatusSource;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Tag;
import io.lampone.simulation.Cluster;
import io.lampone.simulation.hbase.RegionCalls;
import io.lampone.simulation.hbase.RegionReads;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A hostile client's own transactions, in its own rows, with the statements that servers have made
 * of them: grants, passes, fates and issued timestamps. The client shows these in place of
 * forgeries for the transactions of others. After one of its transactions has ended the client
 * begins it again under the old grant: requests its validation with other hashes, writes, commits
 * and aborts. None of that changes a decision.
 */
final class OwnStatements {

  private static final long SALT = 0x0B5E55ED0B5E55EDL;
  private static final int ONE_STRANGER_IN = 2;

  /** Reasons for which a transaction manager may refuse to repeat a decision. */
  private static final Set<Validator.Reason> FORGETFUL =
      EnumSet.of(
          Validator.Reason.BELOW_FLOOR,
          Validator.Reason.BELOW_SAFE_POINT,
          Validator.Reason.FORGOTTEN);

  /** Statements of one kind that are kept: the newest. */
  private static final int KEPT = 4;

  private final Stranger stranger;
  private final Cluster cluster;
  private final Chance chance;
  private final RegionCalls calls;
  private final TransactionManager manager;
  private final boolean used;
  private final List<Tag> secrets = new ArrayList<>();
  private final List<Tag> passes = new ArrayList<>();
  private final List<Validator.Assignment> assignments = new ArrayList<>();
  private final List<Tag> voids = new ArrayList<>();
  private final List<Fate> fates = new ArrayList<>();
  private int begun;

  /** One of the client's own transactions. */
  private record Own(Begin begin, Bytes row, boolean conditional) {

    long start() {
      return begin.startTimestamp();
    }

    Validator.Request request(boolean firstSending, long[] hashes, boolean underCondition) {
      return new Validator.Request(
          start(), begin.grant(), firstSending, new long[0], hashes, underCondition);
    }
  }

  OwnStatements(
      Stranger stranger,
      Cluster cluster,
      RegionCalls calls,
      TransactionManager manager,
      long seed) {
    this.stranger = stranger;
    this.cluster = cluster;
    this.chance = new Chance(seed ^ SALT);
    this.used = chance.oneIn(ONE_STRANGER_IN);
    this.calls = calls;
    this.manager = manager;
  }

  /** Returns the secret of a grant: that of an own transaction, or the forged one. */
  Tag secret(Tag madeUp) {
    return pick(secrets, madeUp);
  }

  /** Returns the statement that a transaction has passed: of an own one, or the forged one. */
  Tag pass(Tag madeUp) {
    return pick(passes, madeUp);
  }

  /** Returns a commit timestamp with its pass, of an own transaction; sometimes the other one. */
  Validator.Assignment assignment(Validator.Assignment other) {
    return pick(assignments, other);
  }

  /** Returns the statement that a transaction never passes: of an own one, or the forged one. */
  Tag voided(Tag madeUp) {
    return pick(voids, madeUp);
  }

  /** Returns a fate: that of an own transaction, or the forged one. */
  Fate fate(Fate madeUp) {
    return pick(fates, madeUp);
  }

  /** Returns the shade of a secret: that of an own transaction, or the forged one. */
  long shade(long madeUp) {
    return pick(
        secrets.stream()
            .map(secret -> IssueProof.Begun.of(new Grant(0, 0, secret)).shade())
            .toList(),
        madeUp);
  }

  private <T> T pick(List<T> own, T madeUp) {
    return own.isEmpty() || chance.oneIn(3) ? madeUp : chance.pick(own);
  }

  private static <T> void keep(List<T> own, T statement) {
    own.add(statement);
    if (own.size() > KEPT) {
      own.remove(0);
    }
  }

  /** Runs a transaction, and begins it again when it has ended. */
  void next() {
    if (!used) {
      return;
    }
    Bytes row = Bytes.utf8(Stranger.OWN + "-own" + begun++);
    var unused = manager.begin().thenCompose(begin -> run(begin, row)).exceptionally(end -> null);
    assert unused != null;
  }

  private CompletableFuture<?> run(Begin begin, Bytes row) {
    Own own = new Own(begin, row, chance.oneIn(2));
    boolean commits = !chance.oneIn(3);
    stranger.say(() -> "OWN start=" + own.start() + (commits ? " commits" : " aborts"));
    return send(own, flush(own, 1))
        .thenCompose(
            written -> {
              keep(secrets, begin.grant().secret());
              return showsIssue(own);
            })
        .thenCompose(
            shown -> manager.validate(own.request(true, new long[] {own.start()}, own.conditional)))
        .thenCompose(
            answer ->
                send(own, commits ? commit(own, answer) : abort(own))
                    .thenCompose(
                        outcome -> {
                          requirePossible(own, commits, answer, outcome);
                          return again(own, answer, outcome);
                        }));
  }

  /** As it would for its own reads: afterwards the proof has been verified once. */
  private CompletableFuture<?> showsIssue(Own own) {
    ReadRequest read =
        new ReadRequest(
            own.start(), false, 0, SlotSet.NONE, Map.of(), IssueProof.Begun.of(own.begin.grant()));
    return calls.<List<RowView>>persistently(
        own.row,
        (served, answer) -> new RegionReads(served).snapshot(List.of(own.row), read, answer));
  }

  /** Begins an ended transaction again, in every way that its grant and its pass allow. */
  private CompletableFuture<?> again(Own own, Validation first, Outcome ended) {
    if (ended.isDecided()) {
      keep(fates, ended.fate());
    }
    return manager
        .validate(own.request(false, chance.longs(2).toArray(), !own.conditional))
        .thenAccept(second -> requireSame(own, first, second))
        .thenCompose(asked -> manager.status(own.start(), StatusSource.NO_SNAPSHOT))
        .thenAccept(this::learn)
        .handle((learned, failure) -> failure)
        .thenCompose(failed -> tried(own, ended, commit(own, first)))
        .thenCompose(tried -> tried(own, ended, abort(own)))
        .thenCompose(tried -> tried(own, ended, flush(own, 2)))
        .thenCompose(tried -> tried(own, ended, commit(own, first)))
        .thenCompose(tried -> look(own))
        .thenAccept(
            now -> {
              requireSame(own, ended, now);
              stranger.say(() -> "OWN ENDED start=" + own.start() + " as=" + ended);
            });
  }

  private void learn(StatusSource.Status status) {
    if (status instanceof StatusSource.Status.Conflict conflict) {
      keep(voids, conflict.proof());
    } else if (status instanceof StatusSource.Status.Unknown unknown) {
      unknown.proof().ifPresent(proof -> keep(voids, proof));
    }
  }

  /**
   * Requires that a decision, or an assigned timestamp, is repeated, or refused for good by a
   * transaction manager that has forgotten it or has not made it. Nothing is checked, so nothing
   * conflicts.
   */
  private void requireSame(Own own, Validation first, Validation second) {
    boolean same =
        first instanceof Validation.Refused
            || (second instanceof Validation.Refused refused
                ? FORGETFUL.contains(refused.reason())
                : first.getClass() == second.getClass() && commitOf(first) == commitOf(second));
    if (!same || first instanceof Validation.Conflict || second instanceof Validation.Conflict) {
      violated("validated twice, start=" + own.start() + " first=" + first + " second=" + second);
    }
  }

  /**
   * Requires a possible end after a commit or an abort that the owner may request of the leader. A
   * committed transaction has the commit timestamp that its client received, if it received one; a
   * conditional one is committed only by its client.
   */
  private void requirePossible(Own own, boolean commits, Validation answer, Outcome ended) {
    boolean possible;
    if (ended.state().isEmpty()) {
      possible = mayBeCollected(own);
    } else if (ended.is(TransactionState.ABORTED)) {
      possible = ended.commitTimestamp() == 0;
    } else {
      possible =
          ended.isDecided()
              && (commits && commitOf(answer) != 0 || !own.conditional)
              && (answer instanceof Validation.Refused
                  || ended.commitTimestamp() == commitOf(answer));
    }
    if (!possible) {
      violated("start=" + own.start() + " answer=" + answer + " ended=" + ended);
    }
  }

  /** A decided transaction stays as it is until it is collected, and does not begin again then. */
  private void requireSame(Own own, Outcome ended, Outcome now) {
    boolean same =
        now.state().isEmpty()
            ? mayBeCollected(own)
            : now.isDecided()
                && now.is(TransactionState.ABORTED) == ended.is(TransactionState.ABORTED)
                && now.commitTimestamp() == ended.commitTimestamp()
                && ended.state().isPresent();
    if (!same) {
      violated("began again, start=" + own.start() + " as=" + ended + " now=" + now);
    }
  }

  private boolean mayBeCollected(Own own) {
    return own.start() < cluster.coordination().record().map(ManagerRecord::safePoint).orElse(0L);
  }

  private void violated(String what) {
    stranger.world().violated("DecidedOnce", what);
  }

  private static long commitOf(Validation answer) {
    if (answer instanceof Validation.Passed passed) {
      return passed.commitTimestamp();
    }
    return answer instanceof Validation.Assigned assigned ? assigned.commitTimestamp() : 0;
  }

  private static @Nullable Tag passOf(Validation answer) {
    if (answer instanceof Validation.Passed passed) {
      return passed.proof();
    }
    return answer instanceof Validation.Assigned assigned ? assigned.proof() : null;
  }

  private Flush flush(Own own, long number) {
    RowFamily leader = Schema.place(own.row, Schema.F);
    FamilyIntents family =
        new FamilyIntents(
            leader.family(),
            SlotSet.NONE,
            Optional.of(new FollowerList(List.of(), true)),
            List.of());
    return new Flush(
        own.start(),
        0,
        ConflictLevel.ROW,
        leader,
        number,
        List.of(new RowIntents(leader.row(), List.of(family))),
        own.begin.grant());
  }

  private RegionRequest commit(Own own, Validation answer) {
    Tag pass = passOf(answer);
    if (pass == null) {
      return abort(own);
    }
    keep(passes, pass);
    keep(assignments, new Validator.Assignment(own.start(), commitOf(answer), pass));
    return new CommitLeader(own.start(), 0, own.row, Schema.F, commitOf(answer), pass);
  }

  private static AbortLeader abort(Own own) {
    return new AbortLeader(own.start(), 0, own.row, Schema.F, true, own.begin.grant());
  }

  private CompletableFuture<Outcome> look(Own own) {
    LeaderReadRequest request = new LeaderReadRequest(own.start(), 0, Schema.F);
    return calls.<Outcome>persistently(
        own.row, (served, answer) -> new RegionReads(served).leader(own.row, request, answer));
  }

  /** Sends a request that changes nothing any more, and may be refused. */
  private CompletableFuture<?> tried(Own own, Outcome ended, RegionRequest request) {
    return send(own, request)
        .handle(
            (outcome, refused) -> {
              if (outcome != null) {
                requireSame(own, ended, outcome);
              }
              return refused;
            });
  }

  private CompletableFuture<Outcome> send(Own own, RegionRequest request) {
    return calls
        .<RegionReply>persistently(own.row, (served, answer) -> served.regular(request, answer))
        .thenApply(reply -> reply.outcomes().get(0));
  }
}
