package io.lampone.client.spi;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.client.core.hold.HoldTicket;
import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.FailureTranslator;
import io.lampone.client.hbase.HBaseTransaction;
import io.lampone.client.hbase.UnknownFamilyException;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/**
 * A transaction whose reads are sent by its owner. Each write has a slot, which {@link #savepoint}
 * increments; a read sees the transaction's own writes up to a slot. Snapshots outlive commit and
 * rollback: scanners may be opened and read until the timeout. After a commit in one region they
 * may only be read: its writes are above the snapshot, and have no slots.
 *
 * <p>Thread-safe, except that no operation may be in progress at commit.
 */
public final class EngineTransaction {

  private final HBaseTransaction transaction;
  private final TransactionEngine engine;
  private final long bornNanos;

  EngineTransaction(HBaseTransaction transaction, TransactionEngine engine) {
    this.transaction = transaction;
    this.engine = engine;
    this.bornNanos = access().clock().monotonicNanos();
  }

  /** Returns the timestamp of the snapshot, which is also the version of writes in slot 0. */
  public long startTimestamp() {
    return transaction.startTimestamp();
  }

  /** Returns the commit timestamp; 0 if it has not committed, or has written nothing. */
  public long commitTimestamp() {
    return transaction.commitTimestamp().orElse(0L);
  }

  /** Sets a savepoint and returns the slot of subsequent writes; the initial slot is 0. */
  public int savepoint() throws IOException {
    return engine.await(transaction.savepoint(), startTimestamp()).slot();
  }

  /**
   * Buffers puts and deletes until a read needs them, the buffer is full, or the commit.
   *
   * @param mutations without timestamps
   */
  public void write(TableName table, List<? extends Mutation> mutations) throws IOException {
    try {
      run(transaction.writing(table, mutations));
    } catch (IOException e) {
      if (StoreFailures.find(e, UnknownFamilyException.class).isEmpty()) {
        throw e;
      }
      // The cached descriptor was stale and has been evicted. Writing twice is idempotent.
      run(transaction.writing(table, mutations));
    }
  }

  /** Makes the commit fail with a conflict if a fence of the table is recorded before it. */
  public void checkFence(TableName table) throws IOException {
    checkSchema(table, 0);
  }

  /**
   * Makes the regions of a table refuse writes if an index may be missing: its schema floor is
   * above {@code known}. Then the write, or the commit, fails with {@code CONFLICT}. So does the
   * commit as after {@link #checkFence}.
   *
   * @param known a timestamp that the caller knew before it looked up the indexes, at least 1; the
   *     least one of several calls counts
   */
  public void checkSchema(TableName table, long known) throws IOException {
    try {
      open().checkSchema(table.getNameAsString(), known);
    } catch (RuntimeException e) {
      throw FailureTranslator.translate(e, startTimestamp());
    }
  }

  /**
   * Opens a scanner in the snapshot. It resolves undecided transactions that it meets and resumes
   * behind the last row that it has returned.
   *
   * @param table table of the connection to read through
   * @param lastSlot last slot whose own writes are visible
   * @param resumable whether each result derives from one row only and each row has one result; if
   *     not, the scan fails if it encounters an undecided transaction after its first result
   * @throws IllegalArgumentException if the scan returns partial rows
   * @throws IOException also if the transaction has committed in one region
   */
  public ResultScanner getScanner(Table table, Scan scan, int lastSlot, boolean resumable)
      throws IOException {
    if (scan.getBatch() > 0 || scan.getAllowPartialResults()) {
      throw new IllegalArgumentException("rows in parts cannot be read in this way");
    }
    long commit = commitTimestamp();
    if (commit != 0 && Timestamps.isCommittedAtBirth(commit)) {
      throw FailureTranslator.translate(
          new IllegalUseException(
              "the transaction has committed in one region, and its snapshot does not show its own"
                  + " writes any more: read before the commit, or in another transaction"),
          startTimestamp());
    }
    SlotSet hidden = SlotSet.from(lastSlot + 1);
    HoldTicket ticket =
        transaction
            .context()
            .holds()
            .begun(
                startTimestamp(),
                Duration.ofNanos(access().clock().monotonicNanos() - bornNanos),
                open().deadlineNanos());
    ticket.uses(table.getName().getNameAsString());
    EngineScanner scanner =
        new EngineScanner(this, table, scan, hidden, resumable, () -> release(ticket));
    try {
      scanner.open();
      return scanner;
    } catch (IOException | RuntimeException e) {
      scanner.close();
      throw e;
    }
  }

  private void release(HoldTicket ticket) {
    transaction.context().holds().ended(ticket);
  }

  /**
   * Commits; fails as {@link io.lampone.client.Transaction#commit} does. After an interrupt or a
   * timeout the commit continues, and its outcome is unknown.
   */
  public void commit() throws IOException {
    engine.run(
        access().driver(),
        transaction.committing(),
        startTimestamp(),
        why -> transaction.id().<IOException>map(id -> inDoubt(id, why)).orElse(why));
  }

  private static CommitOutcomeUnknownException inDoubt(TransactionId id, IOException why) {
    return new CommitOutcomeUnknownException(id, "the commit was not waited for to its end", why);
  }

  /** Runs a machine of this transaction on this thread. */
  <T> T run(Step<T> machine) throws IOException {
    return engine.run(access().driver(), machine, startTimestamp());
  }

  /** Rolls back; does nothing if ended. Later read requests see none of its own writes. */
  public void rollback() {
    transaction.abandon();
  }

  OpenTransaction open() {
    return transaction.open();
  }

  StoreAccess access() {
    return transaction.context().access();
  }
}
