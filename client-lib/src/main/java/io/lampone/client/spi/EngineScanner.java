package io.lampone.client.spi;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.FailureTranslator;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.request.UndecidedIntents;
import io.lampone.protocol.request.UndecidedIntents.Met;
import io.lampone.protocol.trust.Fate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.AbstractClientScanner;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.jspecify.annotations.Nullable;

/**
 * Scanner in a snapshot, over another's connection, of what coprocessors may have made of the rows.
 * Where a server meets transactions whose fate it does not know it refuses the scan: they are
 * resolved, and the scan goes on with the judgments behind the last row that was returned. Any
 * other refusal is final once a row was returned: an aggregated row may stand for others.
 *
 * <p>One thread uses it, as HBase's.
 */
final class EngineScanner extends AbstractClientScanner {

  /** Times that a scanner is opened again without a new judgment or row in between. */
  private static final int MAX_ROUNDS = 100;

  private final EngineTransaction transaction;
  private final Table table;
  private final String name;
  private final Scan scan;
  private final SlotSet hidden;
  private final Runnable onClose;
  private final Map<TransactionId, Fate> judgments = new LinkedHashMap<>();

  /** HBase's scanner; null while there is none. */
  private @Nullable ResultScanner current;

  /** True if a scan can go on behind a row that it has returned. */
  private final boolean resumable;

  /** True if a row was returned after which it cannot. */
  private boolean pastResuming;

  /** Row of the last result; null before the first. */
  private byte @Nullable [] lastRow;

  private int rows;
  private int rounds;
  private boolean closed;

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
    this.hidden = hidden;
    this.resumable = resumable;
    this.onClose = onClose;
  }

  /** Sends what the transaction has buffered in the range, and opens the first scanner. */
  void open() throws IOException {
    OpenTransaction open = transaction.open();
    Bytes start = Bytes.of(scan.getStartRow());
    Bytes stop = Bytes.of(scan.getStopRow());
    boolean buffered =
        scan.isReversed()
            ? open.buffersAny(name, stop, scan.includeStopRow(), start, scan.includeStartRow())
            : open.buffersAny(name, start, scan.includeStartRow(), stop, scan.includeStopRow());
    if (buffered && open.outcome().isEmpty()) {
      await(open.flush());
    }
    openHere();
  }

  private ResultScanner openHere() throws IOException {
    Scan sent = new Scan(scan);
    byte[] last = lastRow;
    if (last != null) {
      sent.withStartRow(last, false);
    }
    if (scan.getLimit() > 0) {
      sent.setLimit(scan.getLimit() - rows);
    }
    ReadRequest request = await(Step.begin(event -> transaction.open().readRequest(hidden)));
    sent.setAttribute(ReadRequest.ATTRIBUTE, request.withJudgments(judgments).encode());
    sent.setAttribute(ReadRequest.REFUSE_ATTRIBUTE, new byte[] {1});
    // A region without our code has no such family; our code takes it out again.
    sent.addFamily(Reserved.PROOF_FAMILY.toArray());
    // HBase would leave out families before visibility is known.
    sent.setLoadColumnFamiliesOnDemand(false);
    ResultScanner opened = table.getScanner(sent);
    current = opened;
    return opened;
  }

  @Override
  public @Nullable Result next() throws IOException {
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

  private void returned(Result result) {
    if (resumable) {
      lastRow = result.getRow();
    } else if (!isPlaceholder(result)) {
      pastResuming = true;
    }
    rows++;
    rounds = 0;
  }

  /** Returns true for what a coprocessor sends in place of rows to say that it is at work. */
  private static boolean isPlaceholder(Result result) {
    Cell first = result.rawCells()[0];
    return result.size() == 1 && first.getFamilyLength() == 0 && first.getQualifierLength() == 0;
  }

  /** Makes the next scanner one that gets further; throws if there is no way. */
  private void recover(IOException failure) throws IOException {
    closeCurrent();
    RuntimeException store = transaction.access().failed(name, "unknown", failure);
    if (!(store instanceof StoreRefusedException refused)) {
      throw failure; // another coprocessor's, or HBase's own
    }
    if (rounds++ >= MAX_ROUNDS) {
      throw FailureTranslator.translate(
          new StoreUnavailableException("a scan does not get on, table=" + name, store),
          transaction.startTimestamp());
    }
    if (refused.refusal().code() == Refusal.Code.UNDECIDED) {
      resolve(UndecidedIntents.in(refused.refusal()));
      requireResumable(store); // the next statement of the transaction knows what was found out
    } else if (StoreFailures.mayRepeat(store) && lastRow == null && !pastResuming) {
      await(transaction.access().pause(rounds));
    } else {
      throw FailureTranslator.translate(store, transaction.startTimestamp());
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
        await(Step.begin(event -> transaction.open().resolve(intents)));
    if (judgments.size() + fates.size() > RequestLimits.MAX_JUDGMENTS) {
      judgments.clear(); // and they may be met anew, which is no news
    } else if (!judgments.keySet().containsAll(fates.keySet())) {
      rounds = 0;
    }
    judgments.putAll(fates);
  }

  private <T> T await(Step<T> step) throws IOException {
    return transaction
        .engine()
        .await(
            transaction.access().driver().startHere(step, transaction.access().deadline()),
            transaction.startTimestamp());
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
