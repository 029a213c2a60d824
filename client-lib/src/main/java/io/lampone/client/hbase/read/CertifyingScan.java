package io.lampone.client.hbase.read;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.TransactionStore.Changed;
import io.lampone.client.core.TransactionStore.RangeCertification;
import io.lampone.client.core.TransactionStore.RangeFindings;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.range.RowPosition;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.hbase.transport.RegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.RequestLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/**
 * Sends a certification of a range: a scan, which returns findings instead of rows. HBase's client
 * proceeds from region to region, and opens a scanner again after a move or a split of a region;
 * temporary refusals are sent again from their beginning, until the deadline.
 */
public final class CertifyingScan implements AdvancedScanResultConsumer {

  private final StoreAccess access;
  private final RangeCertification wanted;
  private final CompletableFuture<RangeFindings> end = new CompletableFuture<>();

  // both used by the thread that HBase calls from, one at a time
  private final List<Intent> undecided = new ArrayList<>();
  private Bytes from = Bytes.EMPTY;

  private CertifyingScan(StoreAccess access, RangeCertification wanted) {
    this.access = access;
    this.wanted = wanted;
  }

  /** Returns the findings; fails as the store's port promises. */
  public static Step<RangeFindings> certify(StoreAccess access, RangeCertification wanted) {
    return certify(access, wanted, access.deadlineWithin(wanted.at().deadlineNanos()), 0);
  }

  private static Step<RangeFindings> certify(
      StoreAccess access, RangeCertification wanted, long deadlineNanos, int tries) {
    TableName table = TableName.valueOf(wanted.range().table());
    access.metrics().scannersOpened.increment();
    return AsyncRequest.step(
            () -> {
              CertifyingScan scan = new CertifyingScan(access, wanted);
              access
                  .transport()
                  .table(table, deadlineNanos, RegionTransport.ATTEMPTS)
                  .scan(request(wanted), scan);
              return scan.end;
            })
        .next(
            event -> {
              Throwable broken = event.failure();
              if (broken == null) {
                return Step.done(event.value());
              }
              RuntimeException failure = access.failed(wanted.range().table(), "unknown", broken);
              return StoreFailures.mayRepeat(failure) && !event.isAfter(deadlineNanos)
                  ? access
                      .pause(tries)
                      .then(waited -> certify(access, wanted, deadlineNanos, tries + 1))
                  : Step.failed(CertifyingGets.notCertified(failure));
            });
  }

  private static Scan request(RangeCertification wanted) {
    ScannedRange range = wanted.range();
    RowPosition start = range.rows().from();
    RowPosition stop = range.rows().to();
    Scan scan =
        new Scan()
            .withStartRow(start.row().toArray(), start.row().isEmpty() || !start.behind())
            .withStopRow(stop.row().toArray(), !stop.row().isEmpty() && stop.behind())
            .setLoadColumnFamiliesOnDemand(false);
    range
        .columns()
        .forEach(
            (family, columns) -> {
              if (columns.isEmpty()) {
                scan.addFamily(family.toArray());
              }
              columns.forEach(column -> scan.addColumn(family.toArray(), column.toArray()));
            });
    // A region without the coprocessor has no such family; the coprocessor removes it from the
    // scan.
    scan.addFamily(Reserved.PROOF_FAMILY.toArray());
    scan.setAttribute(ReadRequest.ATTRIBUTE, wanted.request().encode());
    return scan;
  }

  @Override
  public void onNext(Result[] results, ScanController controller) {
    try {
      for (Result result : results) {
        take(result);
      }
    } catch (RuntimeException | Error e) {
      // HBase's client would lose the exception.
      controller.terminate();
      end.completeExceptionally(e);
      return;
    }
    if (end.isDone()) {
      controller.terminate();
    } else if (!undecided.isEmpty()) {
      controller.terminate();
      end.complete(new RangeFindings(Optional.empty(), undecided, from));
    }
  }

  private void take(Result result) {
    for (Cell cell : result.rawCells()) {
      if (Carrier.isProof(cell)) {
        changed(result, Carrier.fastReadReply(result));
        return;
      }
    }
    List<Intent> pointers = ServerRow.of(wanted.range().table(), result).pointers();
    if (pointers.isEmpty()) {
      throw new MalformedException("a certification returned cells");
    }
    if (undecided.isEmpty()) {
      from = Bytes.wrap(result.getRow());
    }
    // The others are met again when the first have been judged: a request has a limit of judgments.
    for (Intent pointer : pointers) {
      if (undecided.size() < RequestLimits.MAX_JUDGMENTS) {
        undecided.add(readable(pointer));
      }
    }
  }

  private void changed(Result result, FastReadReply reply) {
    if (reply.snapshot() != wanted.at().commitTimestamp()) {
      throw new MalformedException("reply to another certification, commit=" + reply.snapshot());
    }
    RowFamily place =
        new RowFamily(wanted.range().table(), Bytes.wrap(result.getRow()), Bytes.EMPTY);
    end.complete(
        new RangeFindings(
            Optional.of(new Changed(place, reply.version())), List.of(), Bytes.EMPTY));
  }

  /**
   * Returns the intent with a readable column: it is in a reserved column, which users who may read
   * others may not be allowed to read.
   */
  private Intent readable(Intent pointer) {
    Set<Bytes> columns = wanted.range().columns().getOrDefault(pointer.place().family(), Set.of());
    return columns.isEmpty()
        ? pointer
        : new Intent(pointer.id(), pointer.place(), new TreeSet<>(columns).first());
  }

  /** Ends a certification without findings so far whose transaction has no time left. */
  @Override
  public void onHeartbeat(ScanController controller) {
    if (access.isOver(wanted.at().deadlineNanos())) {
      controller.terminate();
      end.completeExceptionally(
          new StoreUnavailableException(
              "a certification takes longer than its transaction may, table="
                  + wanted.range().table(),
              new IOException("timeout")));
    }
  }

  @Override
  public void onComplete() {
    end.complete(
        undecided.isEmpty()
            ? RangeFindings.UNCHANGED
            : new RangeFindings(Optional.empty(), undecided, from));
  }

  @Override
  public void onError(Throwable failure) {
    end.completeExceptionally(failure);
  }
}
