package io.lampone.simulation.client;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.ReadSet;
import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import io.lampone.simulation.hbase.RegionCalls;
import io.lampone.simulation.hbase.RegionCertifications;
import io.lampone.simulation.hbase.RegionReads;
import io.lampone.simulation.world.Schema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/** Intents and commit entries over simulated calls: one request for each region, in parallel. */
public final class SimulatedStore implements TransactionStore {

  private final RegionCalls calls;

  public SimulatedStore(RegionCalls calls) {
    this.calls = calls;
  }

  @Override
  public Step<Void> flush(FlushBatch batch) {
    List<Step<List<RegionReply>>> parts = new ArrayList<>();
    batch
        .tables()
        .forEach(
            (table, intents) -> {
              NavigableMap<Bytes, RowIntents> rows = new TreeMap<>();
              intents.rows().forEach(one -> rows.put(Schema.name(table, one.row()), one));
              parts.add(
                  send(
                      List.copyOf(rows.keySet()),
                      some ->
                          new Flush(
                              batch.id().startTimestamp(),
                              batch.floor(),
                              intents.level(),
                              batch.id().leader(),
                              batch.flushNumber(),
                              some.stream().map(rows::get).toList(),
                              batch.grant(),
                              intents.knownSchema())));
            });
    return Step.all(parts).then(done -> Step.done());
  }

  @Override
  public Step<Outcome> commitLeader(TransactionId id, long floor, long commitTimestamp, Tag pass) {
    RowFamily leader = id.leader();
    return leaderWrite(
        leader,
        new CommitLeader(
            id.startTimestamp(), floor, leader.row(), leader.family(), commitTimestamp, pass));
  }

  @Override
  public Step<Outcome> abortLeader(
      TransactionId id, long floor, boolean plantOnAbsence, Proof proof) {
    RowFamily leader = id.leader();
    return leaderWrite(
        leader,
        new AbortLeader(
            id.startTimestamp(), floor, leader.row(), leader.family(), plantOnAbsence, proof));
  }

  @Override
  public Step<Outcome> finishLeader(
      TransactionId id, long floor, long commitTimestamp, Proof proof) {
    RowFamily leader = id.leader();
    return leaderWrite(
        leader,
        new FinishLeader(
            id.startTimestamp(), floor, leader.row(), leader.family(), commitTimestamp, proof));
  }

  private Step<Outcome> leaderWrite(RowFamily leader, RegionRequest request) {
    return AsyncRequest.step(
            () ->
                calls.<RegionReply>persistently(
                    Schema.name(leader), (served, answer) -> served.regular(request, answer)))
        .map(reply -> reply.outcomes().get(0));
  }

  @Override
  public Step<Void> heal(TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
    TreeSet<Bytes> rows = new TreeSet<>();
    followers.forEach(place -> rows.add(Schema.name(place)));
    return send(
            List.copyOf(rows),
            some ->
                new Heal(
                    id.startTimestamp(),
                    floor,
                    some.stream().map(Schema::key).toList(),
                    id.leader(),
                    fate))
        .then(done -> Step.done());
  }

  @Override
  public Step<Optional<Changed>> certify(Certification wanted) {
    List<Step<Long>> asked = new ArrayList<>();
    for (ReadSet.Point point : wanted.points()) {
      Bytes row = Schema.name(point.table(), point.row());
      CertifyRequest request = wanted.request(point.level());
      asked.add(
          AsyncRequest.step(
              () ->
                  calls.persistently(
                      row,
                      (region, answer) ->
                          new RegionCertifications(region)
                              .point(row, request, point.columns(), answer))));
    }
    return Step.all(asked)
        .map(
            versions -> {
              for (int i = 0; i < versions.size(); i++) {
                if (versions.get(i) != 0) {
                  return Optional.of(new Changed(wanted.points().get(i).place(), versions.get(i)));
                }
              }
              return Optional.empty();
            });
  }

  @Override
  public Step<RangeFindings> certify(RangeCertification wanted) {
    ScannedRange range = wanted.range();
    return certify(
        wanted,
        Schema.rows(Schema.mostRows()).stream()
            .filter(name -> Schema.table(name).equals(range.table()))
            .filter(name -> range.rows().contains(Schema.key(name)))
            .sorted()
            .toList());
  }

  /**
   * Certifies the rows of the first region, and then the others.
   *
   * @param rows the rest of the range
   */
  private Step<RangeFindings> certify(RangeCertification wanted, List<Bytes> rows) {
    if (rows.isEmpty()) {
      return Step.done(RangeFindings.UNCHANGED);
    }
    CertifyScan request = wanted.request();
    List<Bytes> families = List.copyOf(wanted.range().columns().keySet());
    int first = calls.layout().regionOf(rows.get(0));
    List<Bytes> together =
        rows.stream().filter(row -> calls.layout().regionOf(row) == first).toList();
    return AsyncRequest.step(
            () ->
                calls.<RegionCertifications.Batch>persistently(
                    together,
                    some ->
                        (region, answer) ->
                            new RegionCertifications(region)
                                .range(some, families, request, answer)))
        .then(
            batches -> {
              List<Bytes> left = new ArrayList<>(rows);
              List<Intent> undecided = new ArrayList<>();
              for (RegionCertifications.Batch batch : batches) {
                Bytes changed = batch.changed();
                if (changed != null) {
                  return Step.done(changed(changed, batch.changedAt()));
                }
                left.removeAll(batch.looked());
                undecided.addAll(batch.pointers());
              }
              return undecided.isEmpty()
                  ? certify(wanted, left)
                  : Step.done(undecided(left, undecided));
            });
  }

  private static RangeFindings changed(Bytes row, long commitTimestamp) {
    return new RangeFindings(
        Optional.of(new Changed(Schema.place(row, Bytes.EMPTY), commitTimestamp)),
        List.of(),
        Bytes.EMPTY);
  }

  /** All from the first row on that has not been looked at, or has an intent. */
  private static RangeFindings undecided(List<Bytes> left, List<Intent> intents) {
    Bytes from =
        Stream.concat(left.stream(), intents.stream().map(each -> Schema.name(each.place())))
            .min(Comparator.naturalOrder())
            .orElseThrow();
    return new RangeFindings(Optional.empty(), intents, Schema.key(from));
  }

  @Override
  public Step<Outcome> resolve(Intent intent, long floor) {
    RowFamily place = intent.place();
    LeaderReadRequest request =
        new LeaderReadRequest(intent.id().startTimestamp(), floor, place.family());
    Bytes row = Schema.name(place);
    return AsyncRequest.step(
        () ->
            calls.persistently(
                row, (region, answer) -> new RegionReads(region).resolve(row, request, answer)));
  }

  @Override
  public Step<Map<TransactionId, Outcome>> readLeaders(Collection<TransactionId> ids, long floor) {
    List<Step<Outcome>> asked = new ArrayList<>();
    List<TransactionId> inOrder = new ArrayList<>(ids);
    inOrder.sort(
        (a, b) -> {
          int c = Long.compare(a.startTimestamp(), b.startTimestamp());
          return c != 0 ? c : a.leader().compareTo(b.leader());
        });
    for (TransactionId id : inOrder) {
      Bytes row = Schema.name(id.leader());
      LeaderReadRequest request =
          new LeaderReadRequest(id.startTimestamp(), floor, id.leader().family());
      asked.add(
          AsyncRequest.step(
              () ->
                  calls.persistently(
                      row,
                      (region, answer) -> new RegionReads(region).leader(row, request, answer))));
    }
    return Step.all(asked)
        .map(
            outcomes -> {
              Map<TransactionId, Outcome> found = new HashMap<>();
              for (int i = 0; i < outcomes.size(); i++) {
                found.put(inOrder.get(i), outcomes.get(i));
              }
              return found;
            });
  }

  private Step<List<RegionReply>> send(
      List<Bytes> rows, Function<List<Bytes>, ? extends RegionRequest> made) {
    return AsyncRequest.step(
        () ->
            calls.<RegionReply>persistently(
                rows,
                some -> {
                  RegionRequest request = made.apply(some);
                  return (served, answer) -> served.regular(request, answer);
                }));
  }
}
