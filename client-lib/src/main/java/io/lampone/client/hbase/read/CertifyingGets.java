package io.lampone.client.hbase.read;

import io.lampone.client.core.ReadSet.Point;
import io.lampone.client.core.TransactionStore.Certification;
import io.lampone.client.core.TransactionStore.Changed;
import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.transport.Attempt;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.request.FastReadReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/**
 * Sends a certification of rows: gets in batches by table; each region server gets its rows in one
 * call. Temporary refusals are sent again, until the deadline.
 */
public final class CertifyingGets {

  /** Approximate overhead of a row or a column in bytes. */
  private static final int OVERHEAD = 16;

  private final StoreAccess access;
  private final Certification wanted;

  public CertifyingGets(StoreAccess access, Certification wanted) {
    this.access = access;
    this.wanted = wanted;
  }

  /** Returns a change of one of the rows; empty if there is none. */
  public Step<Optional<Changed>> certify() {
    Map<String, List<Point>> byTable = new TreeMap<>();
    for (Point point : wanted.points()) {
      byTable.computeIfAbsent(point.table(), t -> new ArrayList<>()).add(point);
    }
    List<Step<Optional<Changed>>> tables = new ArrayList<>();
    byTable.forEach((table, points) -> tables.add(certify(table, points, 0)));
    return Step.all(tables).map(ends -> ends.stream().flatMap(Optional::stream).findFirst());
  }

  private Step<Optional<Changed>> certify(String table, List<Point> points, int from) {
    if (from == points.size()) {
      return Step.done(Optional.empty());
    }
    int to = from;
    long bytes = 0;
    while (to < points.size()
        && to - from < access.settings().requestRows()
        && bytes < access.settings().requestBytes()) {
      bytes += size(points.get(to++));
    }
    int next = to;
    return certify(table, points.subList(from, to), access.deadline(), 0)
        .then(found -> found.isPresent() ? Step.done(found) : certify(table, points, next));
  }

  private Step<Optional<Changed>> certify(
      String table, List<Point> points, long deadlineNanos, int tries) {
    List<Get> gets = new ArrayList<>(points.size());
    for (Point point : points) {
      gets.add(Carrier.certifyGet(point.row(), point.columns(), wanted.request(point.level())));
    }
    (gets.size() == 1 ? access.metrics().gets : access.metrics().multiGets).increment();
    return Attempt.gets(access, table, gets, deadlineNanos)
        .next(
            sent -> {
              if (sent.failure() != null) {
                return Step.failed(sent.failure());
              }
              List<Point> again = new ArrayList<>();
              for (int i = 0; i < points.size(); i++) {
                Attempt<FastReadReply> end = sent.value().get(i).then(table, this::certified);
                if (end.failure().isEmpty()) {
                  long changed = end.value().version();
                  if (changed != 0) {
                    return Step.done(Optional.of(new Changed(points.get(i).place(), changed)));
                  }
                } else if (StoreFailures.mayRepeat(end.failure().get())
                    && !sent.isAfter(deadlineNanos)
                    && !sent.isAfter(wanted.deadlineNanos())) {
                  again.add(points.get(i));
                } else {
                  return Step.failed(notCertified(end.failure().get()));
                }
              }
              return again.isEmpty()
                  ? Step.done(Optional.empty())
                  : access
                      .pause(tries)
                      .then(waited -> certify(table, again, deadlineNanos, tries + 1));
            });
  }

  private FastReadReply certified(Result result) {
    FastReadReply reply = Carrier.fastReadReply(result);
    if (reply.snapshot() != wanted.commitTimestamp()) {
      throw new MalformedException("reply to another certification, commit=" + reply.snapshot());
    }
    return reply;
  }

  /** Returns the failure; one of a server that certifies nothing says so. */
  static Throwable notCertified(Throwable failure) {
    return StoreFailures.namingOlderServer(failure, "SERIALIZABLE", "SNAPSHOT");
  }

  private static long size(Point point) {
    long size = point.row().length() + OVERHEAD;
    for (Map.Entry<Bytes, Set<Bytes>> family : point.columns().entrySet()) {
      size += family.getKey().length() + OVERHEAD;
      for (Bytes column : family.getValue()) {
        size += column.length() + OVERHEAD;
      }
    }
    return size;
  }
}
