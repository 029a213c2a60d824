package io.lampone.client.spi;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.status.ScanJudgments;
import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.FailureTranslator;
import io.lampone.client.hbase.read.ScanPage;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.UndecidedIntents;
import io.lampone.protocol.request.UndecidedIntents.Met;
import io.lampone.protocol.trust.Fate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.AbstractClientScanner;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot scanner over the caller's connection, or over a dedicated one if it finds no more than
 * one row; other coprocessors may transform its rows. A server refuses the scan if it encounters
 * transactions with an unknown fate. This scanner resolves them and resumes behind the last
 * returned row, sending the judgments. Any other refusal is final once a row was returned, because
 * an aggregated row may represent several rows.
 *
 * <p>For one thread, like HBase's scanners.
 */
final class EngineScanner extends AbstractClientScanner {

  /** Number of times that a scanner is reopened without a new judgment or row in between. */
  private static final int MAX_ROUNDS = 100;

  private final EngineTransaction transaction;
  private final Table table;
  private final String name;
  private final Scan scan;
  private final SlotSet hidden;
  private final Runnable onClose;
  private final ScanJudgments judgments = new ScanJudgments();

  /** HBase's scanner; null while there is none. */
  private @Nullable ResultScanner current;

  /** True if a scan can resume behind a row that it has returned. */
  private final boolean resumable;

  /** True if a row was returned behind which the scan cannot resume. */
  private boolean pastResuming;

  /** Start of the scan as it was sent. */
  private byte[] startRow;

  /** Row of the last result; null before the first. */
  private byte @Nullable [] lastRow;

  private int rows;
  private int rounds;
  private boolean closed;

  /** Why it cannot go on; null while it can. */
  private @Nullable IOException failure;

  EngineScanner(
      EngineTransaction transaction,
      Table table,
      Scan scan,
      SlotSet hidden,
      boolean resumable,
      Runnable onClose)
      throws IOException {
    this.transaction = transaction;
    this.table = table;
    this.name = table.getName().getNameAsString();
    this.scan = new Scan(scan);
    this.startRow = scan.getStartRow();
    this.hidden = hidden;
    this.resumable = resumable;
    this.onClose = onClose;
  }

  /** Flushes buffered writes if any are in the range, and opens the first scanner. */
  void open() throws IOException {
    OpenTransaction open = transaction.open();
    Bytes start = Bytes.of(scan.getStartRow());
    Bytes stop = Bytes.of(scan.getStopRow());
    boolean buffered =
        scan.isReversed()
            ? open.buffersAny(name, stop, scan.includeStopRow(), start, scan.includeStartRow())
            : open.buffersAny(name, start, scan.includeStartRow(), stop, scan.includeStopRow());
    if (buffered && open.outcome().isEmpty()) {
      transaction.run(open.flush());
    }
    try {
      openHere();
    } catch (IOException e) {
      recover(e);
    }
  }

  private ResultScanner openHere() throws IOException {
    Scan sent = new Scan(scan);
    byte[] last = lastRow;
    if (last != null) {
      sent.withStartRow(last, false);
    }
    startRow = sent.getStartRow();
    if (scan.getLimit() > 0) {
      sent.setLimit(scan.getLimit() - rows);
    }
    ReadRequest request =
        transaction.run(Step.begin(event -> transaction.open().readRequest(hidden)));
    sent.setAttribute(ReadRequest.ATTRIBUTE, request.withJudgments(judgments.carried()).encode());
    sent.setAttribute(ReadRequest.REFUSE_ATTRIBUTE, new byte[] {1});
    // The coprocessor removes this family; a region without it fails: it has no such family.
    sent.addFamily(Reserved.PROOF_FAMILY.toArray());
    // On-demand loading would skip families before visibility is known.
    sent.setLoadColumnFamiliesOnDemand(false);
    Optional<ScanPage> page = ScanPage.isOfOneRow(sent) ? page(sent) : Optional.empty();
    ResultScanner opened =
        page.isPresent() ? new PageScanner(page.get().rows()) : table.getScanner(sent);
    current = opened;
    return opened;
  }

  /** Returns all that a scan of one row finds, by a call of this thread; empty if it cannot. */
  private Optional<ScanPage> page(Scan sent) throws IOException {
    if (sent.isScanMetricsEnabled()) {
      return Optional.empty();
    }
    StoreAccess access = transaction.access();
    long deadlineNanos = access.deadline();
    try {
      return access
          .transport()
          .firstPage(table.getName(), sent, deadlineNanos, deadlineNanos)
          .map(CompletableFuture::join)
          .filter(ScanPage::isLast);
    } catch (CompletionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e);
    }
  }

  /** Returns the next result. The end and a failure close the scanner, which holds a snapshot. */
  @Override
  public @Nullable Result next() throws IOException {
    IOException known = failure;
    if (known != null) {
      throw known;
    }
    try {
      Result result = read();
      if (result == null) {
        close();
      }
      return result;
    } catch (IOException e) {
      failure = e;
      close();
      throw e;
    }
  }

  private @Nullable Result read() throws IOException {
    while (!closed && (scan.getLimit() <= 0 || rows < scan.getLimit())) {
      try {
        ResultScanner scanner = current;
        Result result = (scanner == null ? openHere() : scanner).next();
        if (result != null && !result.isEmpty()) {
          returned(result);
        }
        return result;
      } catch (IOException e) {
        recover(e);
      }
    }
    return null;
  }

  /** A placeholder at the start stands for no row: a coprocessor may count rows from there anew. */
  private void returned(Result result) {
    boolean placeholder = isPlaceholder(result);
    if (!resumable) {
      pastResuming |= !placeholder;
    } else if (!placeholder || !Arrays.equals(result.getRow(), startRow)) {
      lastRow = result.getRow();
    }
    rows++;
    rounds = 0;
  }

  /** Returns true for the keep-alive result that a coprocessor sends in place of rows. */
  private static boolean isPlaceholder(Result result) {
    Cell first = result.rawCells()[0];
    return result.size() == 1 && first.getFamilyLength() == 0 && first.getQualifierLength() == 0;
  }

  /** Prepares the next scanner to progress further than this one; throws if that is impossible. */
  private void recover(IOException failure) throws IOException {
    closeCurrent();
    RuntimeException store = transaction.access().failed(name, "unknown", failure);
    boolean isLost = StoreFailures.isForNow(store) && StoreFailures.isScannerLost(store);
    if (!isLost && !(store instanceof StoreRefusedException)) {
      throw failure; // from another coprocessor or HBase itself
    }
    if (rounds++ >= MAX_ROUNDS) {
      throw FailureTranslator.translate(
          new StoreUnavailableException("a scan does not get on, table=" + name, store),
          transaction.startTimestamp());
    }
    if (store instanceof StoreRefusedException refused
        && refused.refusal().code() == Refusal.Code.UNDECIDED) {
      resolve(UndecidedIntents.in(refused.refusal()));
      requireResumable(store); // the next statement of the transaction uses the fates found
    } else if (!pastResuming && (isLost || StoreFailures.mayRepeat(store) && lastRow == null)) {
      transaction.run(transaction.access().pause(rounds));
    } else {
      throw isLost ? failure : FailureTranslator.translate(store, transaction.startTimestamp());
    }
  }

  private void requireResumable(RuntimeException store) throws IOException {
    if (pastResuming) {
      throw FailureTranslator.translate(
          new StoreUnavailableException(
              "a join or an ordered aggregation met an undecided transaction after it had returned"
                  + " rows, and cannot go on behind them: run the statement again, table="
                  + name,
              store),
          transaction.startTimestamp());
    }
  }

  private void resolve(UndecidedIntents undecided) throws IOException {
    List<Intent> intents = new ArrayList<>();
    for (Met met : undecided.all()) {
      RowFamily place = new RowFamily(name, met.row(), met.family());
      TransactionId id = new TransactionId(met.start(), met.leader().orElse(place));
      intents.add(new Intent(id, place, met.qualifier()));
    }
    Map<TransactionId, Fate> fates =
        transaction.run(Step.begin(event -> transaction.open().resolve(intents)));
    if (judgments.add(fates)) {
      rounds = 0;
    }
  }

  private void closeCurrent() {
    ResultScanner scanner = current;
    current = null;
    if (scanner != null) {
      scanner.close();
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      closeCurrent();
      onClose.run();
    }
  }

  @Override
  public boolean renewLease() {
    ResultScanner scanner = current;
    return scanner != null && scanner.renewLease();
  }

  @Override
  public @Nullable ScanMetrics getScanMetrics() {
    ResultScanner scanner = current;
    return scanner == null ? new ScanMetrics() : scanner.getScanMetrics();
  }
}
