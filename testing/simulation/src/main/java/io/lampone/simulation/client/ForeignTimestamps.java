package io.lampone.simulation.client;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Tag;
import io.lampone.simulation.Cluster;
import io.lampone.simulation.hbase.RegionCalls;
import io.lampone.simulation.hbase.RegionCertifications;
import io.lampone.simulation.hbase.RegionReads;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Requests of a hostile client with a timestamp that has not been issued yet. */
final class ForeignTimestamps {

  private static final List<Bytes> HONEST =
      Schema.rows(Schema.mostRows()).stream().sorted().toList();

  private final Stranger stranger;
  private final Cluster cluster;
  private final Chance chance;
  private final RegionCalls calls;
  private final OwnStatements own;
  private int sent;

  ForeignTimestamps(
      Stranger stranger, Cluster cluster, Chance chance, RegionCalls calls, OwnStatements own) {
    this.stranger = stranger;
    this.cluster = cluster;
    this.chance = chance;
    this.calls = calls;
    this.own = own;
  }

  /**
   * Sends a timestamp as high as the record in ZooKeeper allows.
   *
   * @param newestSeen newest timestamp seen in a transaction cell
   */
  void send(long newestSeen) {
    long bound = cluster.coordination().record().map(ManagerRecord::bound).orElse(0L);
    long timestamp = bound - Timestamps.TICK;
    if (timestamp <= 0) {
      return;
    }
    Bytes row = Bytes.utf8(Stranger.OWN);
    IssueProof proof = madeUp(timestamp);
    stranger.say(() -> "SENDS FOREIGN timestamp=" + timestamp + " with=" + proof);
    CompletableFuture<?> answered =
        switch (chance.between(0, 5)) {
          case 0 -> {
            ReadRequest read = new ReadRequest(timestamp, false, 0, SlotSet.NONE, Map.of(), proof);
            yield calls.<List<RowView>>persistently(
                row,
                (served, answer) -> new RegionReads(served).snapshot(List.of(row), read, answer));
          }
          case 1 -> read(row, new FastReadRequest(timestamp, 0, 0, Wants.CELLS, Map.of(), proof));
          case 2 -> read(row, new FastReadRequest(0, 0, timestamp, Wants.CELLS, Map.of(), proof));
          case 3 -> certify(chance.pick(HONEST), certification(timestamp, proof));
          case 4 -> certifyRange(new CertifyScan(certification(timestamp, proof), Map.of()));
          default -> {
            FastWrite write =
                new FastWrite(0, timestamp, false, List.of(put(row, newestSeen)), proof);
            yield calls.<FastReply>persistently(
                row, (served, answer) -> served.fast(calls.user(), write, answer));
          }
        };
    var unused = answered.exceptionally(refused -> null);
    assert unused != null;
  }

  private IssueProof madeUp(long timestamp) {
    return switch (chance.between(0, 3)) {
      case 0 -> new IssueProof.Begun(timestamp, 0, own.shade(sent));
      case 1 -> new IssueProof.Marked(timestamp, sent);
      case 2 ->
          new IssueProof.Passed(
              timestamp - Timestamps.TICK, timestamp, own.pass(new Tag(timestamp, sent)));
      default -> IssueProof.NONE;
    };
  }

  private FastOperation put(Bytes row, long newestSeen) {
    return new FastOperation(
        Schema.key(row),
        new OperationId(Stranger.SALT, sent++),
        false,
        newestSeen,
        new FastCondition.Always(),
        false,
        List.of(
            new FastOperation.Mutation(
                FastOperation.Kind.PUT, Schema.F, Bytes.utf8("b"), Bytes.utf8("stranger"))));
  }

  private CompletableFuture<?> read(Bytes row, FastReadRequest request) {
    return calls.<RegionReads.FastRow>persistently(
        row, (served, answer) -> new RegionReads(served).fast(row, request, answer));
  }

  private CertifyRequest certification(long commit, IssueProof proof) {
    return new CertifyRequest(
        commit - Timestamps.TICK, commit, 0, cluster.parts().plan().level(), proof);
  }

  private CompletableFuture<?> certify(Bytes row, CertifyRequest request) {
    return calls.<Long>persistently(
        row,
        (served, answer) -> new RegionCertifications(served).point(row, request, Map.of(), answer));
  }

  private CompletableFuture<?> certifyRange(CertifyScan request) {
    return calls.<RegionCertifications.Batch>persistently(
        HONEST,
        some ->
            (served, answer) ->
                new RegionCertifications(served).range(some, Schema.FAMILIES, request, answer));
  }
}
