package io.lampone.client.hbase;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.failure.AbsentLeaderException;
import io.lampone.client.core.failure.StoreDeniedException;
import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.read.CertifyingGets;
import io.lampone.client.hbase.read.CertifyingScan;
import io.lampone.client.hbase.transport.Attempt;
import io.lampone.client.hbase.transport.DroppedTables;
import io.lampone.client.hbase.transport.RegionRequests;
import io.lampone.client.hbase.transport.ReplyMetrics;
import io.lampone.client.hbase.transport.ReplyMetrics.Kind;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/**
 * Intents and commit entries in HBase (protocol page, sections 2 to 4). Writes use {@link
 * RegionRequests}, reads of leaders one batch for each table. Refusals that mean "later" are sent
 * again until the operation's deadline; the caller gets every other refusal and every missing
 * reply.
 */
public final class HBaseStore implements TransactionStore {

  /** A request may have fewer rows, counted once for each transaction, than cells. */
  private static final int CELLS_OF_A_TASK = RequestLimits.MAX_CELLS / RequestLimits.MAX_ROWS;

  /** Approximate overhead of a row or a cell in bytes. */
  private static final int OVERHEAD = 16;

  private final StoreAccess access;
  private final RegionRequests requests;
  private final DroppedTables dropped;
  private final ReplyMetrics replies;

  public HBaseStore(StoreAccess access) {
    this.access = access;
    this.requests = new RegionRequests(access);
    this.dropped = new DroppedTables(access);
    this.replies = access.metrics().replies();
  }

  @Override
  public Step<Void> flush(FlushBatch batch) {
    List<Step<List<Outcome>>> tables = new ArrayList<>();
    batch
        .tables()
        .forEach(
            (table, intents) ->
                tables.add(
                    send(
                        Kind.FLUSH,
                        new RegionRequests.Work<>(
                            table,
                            Bytes.EMPTY,
                            intents.rows(),
                            RowIntents::row,
                            HBaseStore::size,
                            HBaseStore::cells,
                            rows ->
                                new Flush(
                                    batch.id().startTimestamp(),
                                    batch.floor(),
                                    intents.level(),
                                    batch.id().leader(),
                                    batch.flushNumber(),
                                    rows,
                                    batch.grant(),
                                    intents.knownSchema()),
                            access.metrics().flushRequests,
                            access.metrics().flushBatches))));
    return Step.all(tables).then(all -> Step.done());
  }

  @Override
  public Step<Outcome> commitLeader(TransactionId id, long floor, long commitTimestamp, Tag pass) {
    RowFamily leader = id.leader();
    return orAbsent(
        id,
        leaderWrite(
            Kind.COMMIT_LEADER,
            leader,
            new CommitLeader(
                id.startTimestamp(), floor, leader.row(), leader.family(), commitTimestamp, pass)));
  }

  @Override
  public Step<Outcome> abortLeader(
      TransactionId id, long floor, boolean plantOnAbsence, Proof proof) {
    RowFamily leader = id.leader();
    Step<Outcome> answer =
        leaderWrite(
            Kind.ABORT_LEADER,
            leader,
            new AbortLeader(
                id.startTimestamp(), floor, leader.row(), leader.family(), plantOnAbsence, proof));
    return orAbsent(
        id,
        answer,
        () ->
            plantOnAbsence
                ? Step.failed(new AbsentLeaderException(id))
                : Step.done(Outcome.NOTHING));
  }

  @Override
  public Step<Outcome> finishLeader(
      TransactionId id, long floor, long commitTimestamp, Proof proof) {
    RowFamily leader = id.leader();
    return dropped.orElse(
        leader.table(),
        leaderWrite(
            Kind.FINISH_LEADER,
            leader,
            new FinishLeader(
                id.startTimestamp(), floor, leader.row(), leader.family(), commitTimestamp, proof)),
        () -> Step.done(Outcome.NOTHING));
  }

  /** Returns an absent leader if its table or its family does not exist. */
  private Step<Outcome> orAbsent(TransactionId id, Step<Outcome> answer) {
    return orAbsent(id, answer, () -> Step.done(Outcome.NOTHING));
  }

  private Step<Outcome> orAbsent(
      TransactionId id, Step<Outcome> answer, Supplier<Step<Outcome>> absent) {
    return dropped.orElse(
        id.leader().table(),
        answer.recover(
            failure -> StoreFailures.missesFamily(failure) ? absent.get() : Step.failed(failure)),
        () -> {
          dropped.absent(id);
          return absent.get();
        });
  }

  /** Returns {@code answer}, or no outcomes if the table was dropped. */
  private Step<List<Outcome>> unlessDropped(String table, Step<List<Outcome>> answer) {
    return dropped.orElse(table, answer, () -> Step.done(List.of()));
  }

  private <R> Step<List<Outcome>> send(Kind kind, RegionRequests.Work<R> work) {
    return requests.send(work).map(outcomes -> replies.count(kind, outcomes));
  }

  private Step<Outcome> leaderWrite(Kind kind, RowFamily leader, RegionRequest request) {
    return send(
            kind,
            new RegionRequests.Work<>(
                leader.table(),
                leader.family(),
                List.of(leader.row()),
                row -> row,
                Bytes::length,
                row -> 1,
                rows -> request,
                access.metrics().leaderWrites,
                new LongAdder()))
        .map(outcomes -> outcomes.get(0));
  }

  @Override
  public Step<Void> heal(TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
    Map<String, NavigableSet<Bytes>> rowsByTable = new TreeMap<>();
    Map<String, Bytes> families = new HashMap<>();
    for (RowFamily place : followers) {
      rowsByTable.computeIfAbsent(place.table(), t -> new TreeSet<>()).add(place.row());
      families.putIfAbsent(place.table(), place.family());
    }
    List<Step<List<Outcome>>> tables = new ArrayList<>();
    rowsByTable.forEach(
        (table, rows) ->
            tables.add(
                unlessDropped(
                    table,
                    send(
                        Kind.HEAL,
                        new RegionRequests.Work<>(
                            table,
                            families.getOrDefault(table, Bytes.EMPTY),
                            List.copyOf(rows),
                            row -> row,
                            row -> row.length() + OVERHEAD,
                            row -> 1,
                            some -> new Heal(id.startTimestamp(), floor, some, id.leader(), fate),
                            access.metrics().healRequests,
                            new LongAdder())))));
    return Step.all(tables).then(all -> Step.done());
  }

  @Override
  public Step<Void> settle(List<Settling> committed, List<Settling> healed) {
    List<Step<List<Outcome>>> tables = new ArrayList<>();
    PostCommitRow.byTable(committed, healed)
        .forEach(
            (table, rows) ->
                tables.add(
                    unlessDropped(
                        table,
                        send(
                            Kind.POST_COMMIT,
                            new RegionRequests.Work<>(
                                table,
                                rows.family(),
                                rows.rows(),
                                PostCommitRow::row,
                                row -> row.row().length() + (long) OVERHEAD * row.tasks().size(),
                                row -> CELLS_OF_A_TASK * row.tasks().size(),
                                some -> PostCommitRow.request(rows.floor(), some),
                                access.metrics().healRequests,
                                new LongAdder())))));
    return Step.all(tables).then(all -> Step.done());
  }

  /** Reads leaders by table, in batches of gets; each region server gets its rows in one call. */
  @Override
  public Step<Map<TransactionId, Outcome>> readLeaders(Collection<TransactionId> ids, long floor) {
    if (ids.stream().anyMatch(id -> id.leader().table().isEmpty())) {
      return Step.failed(
          new StoreDeniedException("a commit entry of which only its server tells", null));
    }
    Map<String, List<TransactionId>> idsByTable = new TreeMap<>();
    for (TransactionId id : ids) {
      idsByTable.computeIfAbsent(id.leader().table(), t -> new ArrayList<>()).add(id);
    }
    Map<TransactionId, Outcome> found = new HashMap<>();
    long deadlineNanos = access.deadline();
    List<Step<Map<TransactionId, Outcome>>> tables = new ArrayList<>();
    idsByTable.forEach(
        (table, some) ->
            tables.add(
                dropped.orElse(
                    table,
                    readLeadersOf(table, some, floor, deadlineNanos, 0),
                    () -> allAbsent(some))));
    return Step.all(tables)
        .map(
            maps -> {
              maps.forEach(found::putAll);
              return found;
            });
  }

  private Step<Map<TransactionId, Outcome>> allAbsent(List<TransactionId> ids) {
    Map<TransactionId, Outcome> nothing = new HashMap<>();
    for (TransactionId id : ids) {
      dropped.absent(id);
      nothing.put(id, Outcome.NOTHING);
    }
    return Step.done(nothing);
  }

  private Step<Map<TransactionId, Outcome>> readLeadersOf(
      String table, List<TransactionId> ids, long floor, long deadlineNanos, int tries) {
    List<Get> gets = new ArrayList<>(ids.size());
    for (TransactionId id : ids) {
      gets.add(
          Carrier.leaderGet(
              id.leader().row(),
              new LeaderReadRequest(id.startTimestamp(), floor, id.leader().family())));
    }
    access.metrics().leaderReads.increment();
    return Attempt.gets(access, table, gets, deadlineNanos)
        .then(
            ends -> {
              Map<TransactionId, Outcome> found = new HashMap<>();
              List<TransactionId> again = new ArrayList<>();
              for (int i = 0; i < ends.size(); i++) {
                Attempt<Outcome> end = ends.get(i).then(table, HBaseStore::leaderOutcome);
                if (end.failure().isEmpty()) {
                  found.put(ids.get(i), replies.count(Kind.READ_LEADER, end.value()));
                } else if (StoreFailures.missesFamily(end.failure().get())) {
                  found.put(ids.get(i), Outcome.NOTHING);
                } else if (StoreFailures.mayRepeat(end.failure().get())
                    && !access.isOver(deadlineNanos)) {
                  again.add(ids.get(i));
                } else {
                  return Step.failed(end.failure().get());
                }
              }
              if (again.isEmpty()) {
                return Step.done(found);
              }
              return access
                  .pause(tries)
                  .then(waited -> readLeadersOf(table, again, floor, deadlineNanos, tries + 1))
                  .map(
                      more -> {
                        found.putAll(more);
                        return found;
                      });
            });
  }

  @Override
  public Step<Optional<Changed>> certify(Certification wanted) {
    return new CertifyingGets(access, wanted).certify();
  }

  @Override
  public Step<RangeFindings> certify(RangeCertification wanted) {
    return CertifyingScan.certify(access, wanted);
  }

  @Override
  public Step<Outcome> resolve(Intent intent, long floor) {
    String table = intent.place().table();
    return dropped.orElse(
        table, resolve(intent, floor, access.deadline(), 0), () -> Step.done(Outcome.NOTHING));
  }

  /** Requests a resolution, again while the server does not know the fate yet. */
  private Step<Outcome> resolve(Intent intent, long floor, long deadlineNanos, int tries) {
    RowFamily place = intent.place();
    Get get =
        Carrier.resolveGet(
            place,
            intent.qualifier(),
            new LeaderReadRequest(intent.id().startTimestamp(), floor, place.family()));
    access.metrics().leaderReads.increment();
    return Attempt.gets(access, place.table(), List.of(get), deadlineNanos)
        .then(
            found -> {
              Attempt<Outcome> end = found.get(0).then(place.table(), HBaseStore::leaderOutcome);
              if (end.failure().isEmpty()) {
                return Step.done(replies.count(Kind.RESOLVE, end.value()));
              }
              return StoreFailures.mayRepeat(end.failure().get()) && !access.isOver(deadlineNanos)
                  ? access
                      .pause(tries)
                      .then(waited -> resolve(intent, floor, deadlineNanos, tries + 1))
                  : Step.failed(end.failure().get());
            });
  }

  private static Outcome leaderOutcome(Result result) {
    return Carrier.reply(result).outcomes().get(0);
  }

  private static int cells(RowIntents row) {
    return row.families().stream().mapToInt(family -> family.cells().size()).sum();
  }

  private static long size(RowIntents row) {
    long size = row.row().length() + OVERHEAD;
    for (FamilyIntents family : row.families()) {
      size += family.family().length() + OVERHEAD;
      for (IntentCell cell : family.cells()) {
        size += cell.qualifier().length() + cell.value().length() + OVERHEAD;
      }
    }
    return size;
  }
}
