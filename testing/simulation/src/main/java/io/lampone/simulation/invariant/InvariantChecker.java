package io.lampone.simulation.invariant;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.WireReply;
import io.lampone.simulation.client.Stranger;
import io.lampone.simulation.hbase.Compaction;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.hbase.RegionServer;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.world.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All invariants of a run. */
public final class InvariantChecker implements Invariant {

  private final List<Invariant> all = new ArrayList<>();

  public void add(Invariant invariant) {
    all.add(invariant);
  }

  @Override
  public void answered(String manager, long epoch, WireReply reply) {
    all.forEach(each -> each.answered(manager, epoch, reply));
  }

  @Override
  public void becamePrimary(String manager, long epoch) {
    all.forEach(each -> each.becamePrimary(manager, epoch));
  }

  @Override
  public void admitted(String manager, String principal, double fraction) {
    all.forEach(each -> each.admitted(manager, principal, fraction));
  }

  @Override
  public void tooOld(long start, long begunNanos) {
    all.forEach(each -> each.tooOld(start, begunNanos));
  }

  @Override
  public void appended(RegionLog log, List<RegionLog.RowWrite> writes) {
    List<RegionLog.RowWrite> honest = honest(writes);
    all.forEach(each -> each.appended(log, honest));
  }

  /** Returns the writes without those in a stranger's own rows, which are not judged. */
  private static List<RegionLog.RowWrite> honest(List<RegionLog.RowWrite> writes) {
    return writes.stream().filter(write -> !Stranger.owns(write.row())).toList();
  }

  @Override
  public void collected(RegionLog log, Compaction.Result result) {
    all.forEach(each -> each.collected(log, result));
  }

  @Override
  public void swept(RegionLog log) {
    all.forEach(each -> each.swept(log));
  }

  @Override
  public void written(RegionServer server, List<RegionLog.RowWrite> writes) {
    List<RegionLog.RowWrite> honest = honest(writes);
    all.forEach(each -> each.written(server, honest));
  }

  @Override
  public void served(RegionServer server, long snapshot) {
    all.forEach(each -> each.served(server, snapshot));
  }

  @Override
  public void judged(long start, long commit) {
    all.forEach(each -> each.judged(start, commit));
  }

  @Override
  public void held(long snapshot, long nanos) {
    all.forEach(each -> each.held(snapshot, nanos));
  }

  @Override
  public void unreadable(long snapshot) {
    all.forEach(each -> each.unreadable(snapshot));
  }

  @Override
  public void recorded(ManagerRecord record) {
    all.forEach(each -> each.recorded(record));
  }

  @Override
  public void intends(long start, Map<Place, Optional<Bytes>> writes) {
    all.forEach(each -> each.intends(start, writes));
  }

  @Override
  public void intends(OperationId id, Bytes row, Mutation mutation) {
    all.forEach(each -> each.intends(id, row, mutation));
  }

  @Override
  public void serializable(long start) {
    all.forEach(each -> each.serializable(start));
  }

  @Override
  public void conditional(long start, boolean conditional) {
    all.forEach(each -> each.conditional(start, conditional));
  }

  @Override
  public void validates(long start, long[] checks, long[] records) {
    all.forEach(each -> each.validates(start, checks, records));
  }

  @Override
  public void commitsItself(long start) {
    all.forEach(each -> each.commitsItself(start));
  }

  @Override
  public void read(long snapshot, Place place, Optional<Bytes> value) {
    all.forEach(each -> each.read(snapshot, place, value));
  }

  @Override
  public void interval(long lowest, long highest, Place place, Optional<Bytes> value) {
    all.forEach(each -> each.interval(lowest, highest, place, value));
  }

  @Override
  public void shown(RowView row) {
    all.forEach(each -> each.shown(row));
  }

  @Override
  public void acknowledged(long start, long commit) {
    all.forEach(each -> each.acknowledged(start, commit));
  }

  @Override
  public void denied(long start) {
    all.forEach(each -> each.denied(start));
  }

  @Override
  public void applied(OperationId id, long version) {
    all.forEach(each -> each.applied(id, version));
  }

  @Override
  public void notApplied(OperationId id) {
    all.forEach(each -> each.notApplied(id));
  }
}
