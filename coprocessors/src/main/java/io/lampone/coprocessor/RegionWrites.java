package io.lampone.coprocessor;

import io.lampone.coprocessor.core.Refused;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Refusal;
import io.lampone.protocol.RegionReply;
import io.lampone.protocol.RegionRequest;
import io.lampone.protocol.RegionRequest.AbortLeader;
import io.lampone.protocol.RegionRequest.CommitLeader;
import io.lampone.protocol.RegionRequest.FamilyIntents;
import io.lampone.protocol.RegionRequest.FinishLeader;
import io.lampone.protocol.RegionRequest.Flush;
import io.lampone.protocol.RegionRequest.Heal;
import io.lampone.protocol.RegionRequest.IntentCell;
import io.lampone.protocol.RegionRequest.IntentKind;
import io.lampone.protocol.RegionRequest.RowIntents;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;

/**
 * Carries out a region request: checks what can be checked without a lock, then goes through
 * HBase's write path with all rows locked exclusively, in ascending order, as one log entry and one
 * MVCC transaction (protocol page, section 2). All or nothing.
 */
final class RegionWrites {

  /** Rows of one request: all are locked at once. */
  static final int MAX_ROWS = 10_000;

  /** Written cells of one request. */
  static final int MAX_CELLS = 100_000;

  private final OpenRegion open;

  RegionWrites(OpenRegion open) {
    this.open = open;
  }

  RegionReply execute(RegionRequest request) throws IOException {
    TableSettings settings = open.requireTransactional();
    requireRows(request.rows());
    if (request instanceof Flush flush) {
      requireFlush(flush, settings);
    } else if (request instanceof AbortLeader abort) {
      requireExists(abort.family());
    }
    open.fence().requireKnown(request.floor());
    open.fence().requirePossible(request.startTimestamp());
    requireCommitPossible(request);

    RequestBatch batch = new RequestBatch(request, settings, open);
    open.region()
        .mutateRowsWithLocks(
            batch.mutations(), batch.rows(), HConstants.NO_NONCE, HConstants.NO_NONCE);
    batch.requireStillAdmissible();
    // What was found and not changed is a read: nothing in the log vouches for it.
    open.requireSession();
    return batch.reply();
  }

  private void requireRows(List<Bytes> rows) {
    if (rows.isEmpty()) {
      throw malformed("request without rows");
    }
    if (rows.size() > MAX_ROWS) {
      throw Refused.because(Refusal.Code.TOO_LARGE, "too many rows, rows=" + rows.size());
    }
    Bytes last = Bytes.EMPTY;
    for (Bytes row : rows) {
      if (row.compareTo(last) <= 0 || row.length() > HConstants.MAX_ROW_LENGTH) {
        throw malformed("rows are not ascending, or too long");
      }
      if (!open.region().getRegionInfo().containsRow(row.unsafeArray())) {
        throw Refused.because(
            Refusal.Code.WRONG_REGION,
            row,
            "row is not in region, region=" + open.region().getRegionInfo().getEncodedName());
      }
      last = row;
    }
  }

  private void requireFlush(Flush flush, TableSettings settings) throws IOException {
    if (settings.phase() != TableSettings.Phase.ENABLED) {
      throw Refused.because(
          Refusal.Code.TABLE_CHANGING, "table is being changed, table=" + open.table());
    }
    if (flush.level() != settings.level()) {
      throw Refused.because(
          Refusal.Code.LEVEL_MISMATCH,
          "conflict level is another one, table=" + settings.level() + " sender=" + flush.level());
    }
    int cells = 0;
    for (RowIntents row : flush.intents()) {
      if (row.families().isEmpty()) {
        throw malformed("row without families");
      }
      Set<Bytes> seen = new HashSet<>();
      for (FamilyIntents family : row.families()) {
        if (!seen.add(family.family())) {
          throw malformed("family named twice");
        }
        cells += family.cells().size();
        requireFamily(flush, row.row(), family);
      }
    }
    if (cells > MAX_CELLS) {
      throw Refused.because(Refusal.Code.TOO_LARGE, "too many cells, cells=" + cells);
    }
  }

  private void requireFamily(Flush flush, Bytes row, FamilyIntents intents) throws IOException {
    requireExists(intents.family());
    boolean leads = new RowFamily(open.table(), row, intents.family()).equals(flush.leader());
    if (intents.followers().isPresent() && !leads) {
      throw malformed("only the leader has followers");
    }
    long maxCellBytes = open.maxCellBytes();
    for (IntentCell cell : intents.cells()) {
      if (cell.kind() != IntentKind.DELETE_FAMILY && Reserved.isReserved(cell.qualifier())) {
        throw Refused.because(
            Refusal.Code.UNSUPPORTED, row, "qualifier is reserved, qualifier=" + cell.qualifier());
      }
      if (maxCellBytes > 0 && cell.value().length() > maxCellBytes) {
        throw Refused.because(
            Refusal.Code.TOO_LARGE, row, "value too large, bytes=" + cell.value().length());
      }
    }
  }

  private void requireExists(Bytes family) throws IOException {
    if (!open.region().getTableDescriptor().hasColumnFamily(family.unsafeArray())) {
      throw new NoSuchColumnFamilyException(
          "no such column family, table=" + open.table() + " family=" + family);
    }
  }

  private void requireCommitPossible(RegionRequest request) {
    long commit = 0;
    if (request instanceof CommitLeader leader) {
      commit = leader.commitTimestamp();
    } else if (request instanceof FinishLeader leader) {
      commit = leader.commitTimestamp();
    } else if (request instanceof Heal heal) {
      commit = heal.commitTimestamp();
      if (commit == 0) {
        return;
      }
    } else {
      return;
    }
    open.fence().requirePossible(commit);
  }

  private static Refused malformed(String why) {
    return Refused.because(Refusal.Code.MALFORMED, why);
  }
}
