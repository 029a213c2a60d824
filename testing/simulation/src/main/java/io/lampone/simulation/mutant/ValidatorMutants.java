package io.lampone.simulation.mutant;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.BucketMap.Era;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.simulation.manager.PassingManager;
import io.lampone.simulation.manager.SimulatedValidators;
import io.lampone.simulation.world.Plan;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.status.NodeStatus;
import io.lampone.tm.core.validation.BatchOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Mistakes of validation by several processes. */
final class ValidatorMutants {

  /** By so much an era begins too early. */
  private static final long EARLY =
      Duration.ofMillis(60).toNanos() / Timestamps.TICK * Timestamps.TICK;

  /** Mistakes that a short search has not shown: to be searched for longer. */
  private static final Set<String> UNSEEN =
      Set.of(
          "only a serializable writer is compared with later reads",
          "eras are kept over an unplanned takeover, without a new floor");

  private ValidatorMutants() {}

  static List<Mutant> all() {
    return Stream.of(votes(), maps(), changes())
        .flatMap(List::stream)
        .filter(mutant -> !UNSEEN.contains(mutant.name()))
        .toList();
  }

  private static List<Mutant> votes() {
    return List.of(
        voting(
            "a validator votes on a commit timestamp that was not assigned",
            "Z28",
            CarelessVotes.Mistake.NO_PASS),
        voting("a validator does not remember what was read", "Z7", CarelessVotes.Mistake.NO_READS),
        voting(
            "only a serializable writer is compared with later reads",
            "Z24",
            CarelessVotes.Mistake.READS_FOR_READERS_ONLY),
        voting(
            "a validator forgets reads without a trace",
            "Z29",
            CarelessVotes.Mistake.READS_EVICTED),
        voting(
            "a validator forgets writes without a trace",
            "lemma of 3.3",
            CarelessVotes.Mistake.WRITES_EVICTED),
        voting(
            "a validator that has restarted answers for its former self",
            "Z33",
            CarelessVotes.Mistake.NO_INCARNATION));
  }

  private static List<Mutant> maps() {
    return List.of(
        map(
            "the owner of before is not asked",
            "Z13",
            eras -> List.of(new Era(0, eras.get(0).owner()))),
        map(
            "the owner of now is not asked",
            "Z15",
            eras -> eras.size() > 1 ? eras.subList(1, eras.size()) : eras),
        map(
            "an era begins before the last commit timestamp of the former one",
            "Z13",
            eras -> {
              List<Era> early = new ArrayList<>();
              long before = Long.MAX_VALUE;
              for (Era era : eras) {
                long since = Math.min(before - 1, Math.max(0, era.since() - EARLY));
                if (since >= 0) {
                  early.add(new Era(since, era.owner()));
                  before = since;
                }
              }
              return early;
            }));
  }

  private static List<Mutant> changes() {
    return List.of(
        Mutant.manager(
            "a commit timestamp is assigned under another map",
            "Z15",
            real ->
                new PassingManager(real) {
                  @Override
                  public CompletableFuture<Validation> validate(Request asked) {
                    return super.validate(asked)
                        .thenCompose(
                            answer ->
                                answer instanceof Validation.Refused refused
                                        && refused.reason() == Validator.Reason.MOVED
                                    ? buckets()
                                        .thenCompose(map -> super.validate(under(map, asked)))
                                    : CompletableFuture.completedFuture(answer));
                  }
                }),
        Mutant.manager(
            "eras are kept over an unplanned takeover, without a new floor",
            "Z14",
            real ->
                new PassingManager(real) {
                  @Override
                  public CompletableFuture<Validation> validate(Request asked) {
                    return super.validate(asked)
                        .thenCompose(
                            answer ->
                                answer instanceof Validation.Refused refused
                                        && refused.reason() == Validator.Reason.BELOW_FLOOR
                                        && asked.terms().mapVersion() != 0
                                    ? begin()
                                        .thenApply(next -> assigned(asked, next.startTimestamp()))
                                    : CompletableFuture.completedFuture(answer));
                  }
                }));
  }

  private static Validator.Request under(BucketMap map, Validator.Request asked) {
    return new Validator.Request(
        asked.startTimestamp(),
        asked.grant(),
        asked.firstSending(),
        asked.check(),
        asked.record(),
        new Validator.Terms(true, asked.reported(), map.version()));
  }

  private static Validation assigned(Validator.Request asked, long commit) {
    return new Validation.Assigned(commit, Proofs.OPEN.pass(asked.startTimestamp(), commit));
  }

  private static Mutant voting(String name, String trap, CarelessVotes.Mistake mistake) {
    return new Mutant(name, trap, plan -> new Careless(plan, mistake));
  }

  private static Mutant map(String name, String trap, UnaryOperator<List<Era>> change) {
    return Mutant.manager(
        name,
        trap,
        real ->
            new PassingManager(real) {
              @Override
              public CompletableFuture<BucketMap> buckets() {
                return super.buckets().thenApply(map -> changed(map, change));
              }
            });
  }

  private static BucketMap changed(BucketMap map, UnaryOperator<List<Era>> change) {
    return new BucketMap(
        map.version(), map.validators(), map.runs().stream().map(run -> run.with(change)).toList());
  }

  /** Validators that make a mistake. */
  private static final class Careless extends Parts {

    private final CarelessVotes.Mistake mistake;

    /** One of each process. */
    private final Map<ManagerNode, CarelessVotes> tables = new IdentityHashMap<>();

    Careless(Plan plan, CarelessVotes.Mistake mistake) {
      super(plan);
      this.mistake = mistake;
    }

    @Override
    public BatchOutcome handle(ManagerNode node, RequestCursor requests, ReplyWriter replies) {
      NodeStatus status = node.status();
      if (!status.role().equals("validator")) {
        return super.handle(node, requests, replies);
      }
      long incarnation = SimulatedValidators.incarnationOf(status.holder());
      CarelessVotes votes = tables.computeIfAbsent(node, n -> new CarelessVotes(mistake));
      while (requests.next()) {
        if (requests.type() != RequestType.VOTE) {
          replies.reserved(requests.id()); // hints need no memory
          continue;
        }
        if (!CarelessVotes.isAssigned(requests, mistake)) {
          return new BatchOutcome.Unowned(requests.startTimestamp());
        }
        if (mistake == CarelessVotes.Mistake.NO_INCARNATION
            || requests.tail().incarnation() == incarnation) {
          votes.vote(requests, replies);
        } else {
          replies.refused(requests.id(), Validator.Reason.MOVED, 0);
        }
      }
      return BatchOutcome.ANSWERED;
    }
  }
}
