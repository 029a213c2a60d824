package io.lampone.client.core;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Rows in memory with the region server's rules for the fast path: versions, names of operations,
 * who comes too late. Every row holds one number, which increments add to and puts replace. The
 * transaction cells are those of {@link MemoryStore}.
 */
final class MemoryFastPath implements FastPathStore {

  /** One version of a row. */
  record Version(long timestamp, OperationId id, long number) {}

  private final MemoryStore intents;
  private final MemoryManager manager;
  private final Map<Bytes, List<Version>> rows = new TreeMap<>();
  // names after which an attempt comes too late: those that a repetition was answered for
  private final Set<OperationId> repeated = new HashSet<>();
  // and those that were asked for
  private final Set<OperationId> asked = new HashSet<>();
  final List<RegionRequest> requests = new ArrayList<>();
  // rows from this one on are in a second region
  Optional<Bytes> split = Optional.empty();
  // what is believed of it, until somebody looks again
  Optional<Bytes> believedSplit = Optional.empty();
  // what committed below it may have been collected
  long safePoint;
  // how much further it is by now
  LongSupplier risen = () -> 0;
  // a repetition is carried out only for sessions that know of this; 0 = nothing has moved
  long opening;
  private long clock;

  MemoryFastPath(MemoryStore intents, MemoryManager manager) {
    this.intents = intents;
    this.manager = manager;
  }

  List<Version> cellsOf(String row) {
    return rows.getOrDefault(Bytes.utf8(row), List.of());
  }

  /** Drops what was written to a row below {@code timestamp}, which is the safe point from now. */
  void collect(String row, long timestamp) {
    safePoint = timestamp;
    rows.getOrDefault(Bytes.utf8(row), new ArrayList<>())
        .removeIf(version -> version.timestamp() < timestamp);
  }

  /** Puts a number as another client would. */
  long putByAnother(String row, long number) {
    long version = draw();
    rows.computeIfAbsent(Bytes.utf8(row), r -> new ArrayList<>())
        .add(new Version(version, new OperationId(-1, version), number));
    return version;
  }

  @Override
  public Step<List<List<Bytes>>> regionsOf(String table, List<Bytes> wanted, boolean again) {
    if (again) {
      believedSplit = split;
    }
    List<List<Bytes>> regions = new ArrayList<>(List.of(new ArrayList<>(), new ArrayList<>()));
    for (Bytes row : wanted) {
      regions
          .get(believedSplit.isPresent() && row.compareTo(believedSplit.get()) >= 0 ? 1 : 0)
          .add(row);
    }
    regions.removeIf(List::isEmpty);
    return Step.done(regions);
  }

  @Override
  public Step<Boolean> mayCommitInOneRegion(String table, List<Bytes> wanted) {
    return regionsOf(table, wanted, false).map(regions -> regions.size() == 1);
  }

  @Override
  public Step<List<End>> send(String table, List<? extends RegionRequest> all, long deadlineNanos) {
    List<End> ends = new ArrayList<>();
    for (RegionRequest request : all) {
      ends.add(execute(table, request));
    }
    return Step.done(ends);
  }

  private End execute(String table, RegionRequest request) {
    requests.add(request);
    try {
      requireOneRegion(
          request instanceof OneRegionCommit commit ? commit.rowsOfRegion() : request.rows());
      if (request instanceof FastWrite write) {
        return new End.Answered(new FastReply(write(table, write), 0));
      }
      if (request instanceof OneRegionCommit commit) {
        return new End.Answered(new FastReply(commit(table, commit), 0));
      }
      return new End.Answered(new FastReply(List.of(lookUp((OperationLookup) request)), 0));
    } catch (Refused refused) {
      return new End.NotExecuted(new StoreRefusedException(table, refused.refusal, null));
    }
  }

  private static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Refusal refusal;

    Refused(Refusal.Code code) {
      this(code, 0);
    }

    Refused(Refusal.Code code, long commit) {
      refusal = new Refusal(code, "refused by the fake", commit, Bytes.EMPTY);
    }
  }

  private void requireOneRegion(List<Bytes> wanted) {
    if (split.isPresent()
        && wanted.get(0).compareTo(split.get()) < 0
        && wanted.get(wanted.size() - 1).compareTo(split.get()) >= 0) {
      throw new Refused(Refusal.Code.WRONG_REGION);
    }
  }

  private Outcome lookUp(OperationLookup lookup) {
    asked.add(lookup.id());
    return find(lookup.row(), lookup.id())
        .map(version -> Outcome.of(Kind.APPLIED_BEFORE, version))
        .orElse(Outcome.of(Kind.NOT_APPLIED, safePoint));
  }

  private Optional<Long> find(Bytes row, OperationId id) {
    return rows.getOrDefault(row, List.of()).stream()
        .filter(version -> version.id().equals(id))
        .map(Version::timestamp)
        .findFirst();
  }

  private void requireInTime(OperationId id, boolean repetition) {
    if (asked.contains(id) || !repetition && repeated.contains(id)) {
      throw new Refused(Refusal.Code.SUPERSEDED);
    }
    if (repetition) {
      repeated.add(id);
    }
  }

  private void requireOpeningKnown(boolean inDoubt, long mark) {
    if (inDoubt && mark < opening) {
      throw new Refused(Refusal.Code.NOT_READY, opening);
    }
  }

  private List<Outcome> write(String table, FastWrite write) {
    List<Outcome> outcomes = new ArrayList<>();
    for (FastOperation operation : write.operations()) {
      requireInTime(operation.id(), operation.repeated());
      boolean found = operation.repeated() && find(operation.row(), operation.id()).isPresent();
      requireOpeningKnown(operation.repeated() && !found, write.mark());
      long safePointNow = safePoint + risen.getAsLong();
      if (!found && operation.firstMark() < safePointNow) {
        throw new Refused(Refusal.Code.BELOW_SAFE_POINT, safePointNow);
      }
      outcomes.add(judge(table, operation));
    }
    boolean all = outcomes.stream().allMatch(outcome -> outcome.kind().isApplied());
    if (write.atomic() && !all) {
      return outcomes.stream()
          .map(o -> o.kind().isApplied() ? Outcome.of(Kind.NOT_APPLIED, 0) : o)
          .toList();
    }
    long shared = draw();
    List<Outcome> done = new ArrayList<>();
    for (int i = 0; i < outcomes.size(); i++) {
      FastOperation operation = write.operations().get(i);
      if (outcomes.get(i).kind() == Kind.COMMITTED) {
        long version = write.atomic() ? shared : draw();
        if (!operation.mutations().isEmpty()) {
          rows.computeIfAbsent(operation.row(), r -> new ArrayList<>())
              .add(new Version(version, operation.id(), numberAfter(operation)));
        }
        done.add(Outcome.of(Kind.COMMITTED, version));
      } else {
        done.add(outcomes.get(i));
      }
    }
    return done;
  }

  private Outcome judge(String table, FastOperation operation) {
    if (operation.repeated()) {
      Optional<Long> before = find(operation.row(), operation.id());
      if (before.isPresent()) {
        return Outcome.of(Kind.APPLIED_BEFORE, before.get());
      }
    }
    Optional<TransactionId> blocker = intentOn(table, operation.row());
    if (blocker.isPresent()) {
      return Outcome.busy(blocker.get());
    }
    if (operation.condition() instanceof FastCondition.Unchanged unchanged
        && newest(operation.row()) > unchanged.version()) {
      return Outcome.of(Kind.CONFLICT, newest(operation.row()));
    }
    if (operation.condition() instanceof FastCondition.Compare compare
        && number(operation.row()) != Long.parseLong(compare.value().toUtf8())) {
      return Outcome.of(Kind.CONDITION_FALSE, 0);
    }
    return Outcome.of(Kind.COMMITTED, 0);
  }

  private Optional<TransactionId> intentOn(String table, Bytes row) {
    RowFamily place = new RowFamily(table, row, Fixture.FAMILY);
    return intents.cells.getOrDefault(place, Map.of()).entrySet().stream()
        .filter(cell -> cell.getValue().state == TransactionState.PENDING)
        .map(cell -> new TransactionId(cell.getKey(), intents.leaderOf(cell.getKey(), place)))
        .findFirst();
  }

  private List<Outcome> commit(String table, OneRegionCommit commit) {
    OperationId id = OperationId.ofTransaction(commit.startTimestamp());
    if (commit.repeated()) {
      Optional<Long> before = find(commit.rows().get(0), id);
      if (before.isPresent()) {
        return commit.rows().stream()
            .map(r -> Outcome.of(Kind.APPLIED_BEFORE, before.get()))
            .toList();
      }
    }
    requireInTime(id, commit.repeated());
    requireOpeningKnown(commit.repeated(), commit.mark());
    for (Bytes row : commit.rows()) {
      RowFamily place = new RowFamily(table, row, Fixture.FAMILY);
      MemoryStore.Stored own = intents.at(place, commit.startTimestamp());
      if (own != null && own.state == TransactionState.PENDING) {
        throw new Refused(Refusal.Code.MALFORMED); // it has gone the ordinary way
      }
    }
    List<Outcome> outcomes = new ArrayList<>();
    for (Bytes row : commit.rows()) {
      Optional<TransactionId> blocker = intentOn(table, row);
      outcomes.add(
          blocker
              .map(Outcome::busy)
              .orElse(
                  newestOfAll(table, row) > commit.startTimestamp()
                      ? Outcome.of(Kind.CONFLICT, newestOfAll(table, row))
                      : Outcome.of(Kind.NOT_APPLIED, 0)));
    }
    boolean isUnsure = false;
    List<Outcome> withReads = new ArrayList<>(outcomes);
    for (RowRead read : commit.reads()) {
      isUnsure |= intentOn(table, read.row()).isPresent();
      long newest = newestOfAll(table, read.row());
      boolean isChanged = newest > commit.startTimestamp() && !isUnsure;
      withReads.add(Outcome.of(isChanged ? Kind.CONFLICT : Kind.NOT_APPLIED, newest));
      if (isChanged) {
        return withReads;
      }
    }
    if (isUnsure || outcomes.stream().anyMatch(outcome -> outcome.kind() != Kind.NOT_APPLIED)) {
      return outcomes;
    }
    long version = draw();
    commit
        .rows()
        .forEach(
            row ->
                rows.computeIfAbsent(row, r -> new ArrayList<>())
                    .add(new Version(version, id, number(row) + 1)));
    return commit.rows().stream().map(r -> Outcome.of(Kind.COMMITTED, version)).toList();
  }

  private long numberAfter(FastOperation operation) {
    FastOperation.Mutation last = operation.mutations().get(0);
    return last.kind() == FastOperation.Kind.INCREMENT
        ? number(operation.row()) + 1
        : Long.parseLong(last.value().toUtf8());
  }

  long number(Bytes row) {
    List<Version> versions = rows.getOrDefault(row, List.of());
    return versions.isEmpty() ? 0 : versions.get(versions.size() - 1).number();
  }

  private long newest(Bytes row) {
    return rows.getOrDefault(row, List.of()).stream()
        .map(Version::timestamp)
        .max(Comparator.naturalOrder())
        .orElse(0L);
  }

  private long newestOfAll(String table, Bytes row) {
    RowFamily place = new RowFamily(table, row, Fixture.FAMILY);
    return intents.cells.getOrDefault(place, Map.of()).values().stream()
        .mapToLong(cell -> cell.commitTimestamp)
        .reduce(newest(row), Math::max);
  }

  private long draw() {
    clock = Math.max(clock, Math.max(safePoint, manager.last + 128)) + 1;
    return clock;
  }
}
