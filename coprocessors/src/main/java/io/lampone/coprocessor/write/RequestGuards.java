package io.lampone.coprocessor.write;

import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RequestLimits;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;

/** Checks of a writing request before any lock is taken. */
public final class RequestGuards {

  private final OpenRegion open;

  public RequestGuards(OpenRegion open) {
    this.open = open;
  }

  void requireRows(List<Bytes> rows) {
    if (rows.isEmpty()) {
      throw malformed("request without rows");
    }
    if (rows.size() > RequestLimits.MAX_ROWS) {
      throw Refused.because(Refusal.Code.TOO_LARGE, "too many rows, rows=" + rows.size());
    }
    RegionInfo region = open.region().getRegionInfo();
    Bytes last = Bytes.EMPTY;
    for (Bytes row : rows) {
      if (row.compareTo(last) <= 0 || row.length() > HConstants.MAX_ROW_LENGTH) {
        throw malformed("rows are not ascending, or too long");
      }
      if (!region.containsRow(row.unsafeArray())) {
        throw Refused.because(
            Refusal.Code.WRONG_REGION,
            row,
            "row is not in region, region=" + region.getEncodedName());
      }
      last = row;
    }
  }

  /**
   * Requires a place at which a cell can exist: later readers of it, in another table and with
   * other rights, would fail otherwise.
   */
  void requirePlace(RowFamily place) throws IOException {
    if (!place.isLegal()) {
      throw malformed("no legal place of a transaction cell, place=" + printable(place));
    }
    if (place.table().equals(open.table())) {
      requireFamily(place.family());
    }
  }

  private static String printable(RowFamily place) {
    return Bytes.utf8(place.table()) + "/" + place.row() + "/" + place.family();
  }

  void requireEnabled(TableSettings settings) {
    if (settings.phase() != TableSettings.Phase.ENABLED) {
      throw Refused.because(
          Refusal.Code.TABLE_CHANGING, "table is being changed, table=" + open.table());
    }
    requireWholeValues();
  }

  /** Requires that stored cells hold values, and no locations of values. */
  void requireWholeValues() {
    for (ColumnFamilyDescriptor family : open.region().getTableDescriptor().getColumnFamilies()) {
      if (family.isMobEnabled()) {
        throw Refused.because(
            Refusal.Code.UNSUPPORTED,
            "the family has been made a MOB family, which transactions do not support: see lampone"
                + " doctor, table="
                + open.table()
                + " family="
                + family.getNameAsString());
      }
    }
  }

  public void requireFastPath(TableSettings settings) {
    requireEnabled(settings);
    if (!settings.fastPath()) {
      throw Refused.because(
          Refusal.Code.FAST_PATH_DISABLED,
          "the fast path is switched off for this table: use a regular transaction, or set"
              + " lampone.fast-path = true by 'alter' in the HBase shell, table="
              + open.table());
    }
  }

  /**
   * Fails unless the table can be read without a snapshot, whether it has the fast path or not:
   * Phoenix's writers put versions below timestamps that have been read.
   */
  public void requireIntervals(TableSettings settings) {
    requireEnabled(settings);
    if (settings.plainClients() == PlainClients.PHOENIX) {
      throw Refused.because(
          Refusal.Code.UNSUPPORTED,
          "the table is one of Phoenix: a LATEST transaction cannot read it, use STRICT or SESSION,"
              + " table="
              + open.table());
    }
  }

  public void requireLevel(ConflictLevel level, TableSettings settings) {
    if (level != settings.level()) {
      throw Refused.because(
          Refusal.Code.LEVEL_MISMATCH,
          "conflict level is another one, table=" + settings.level() + " sender=" + level);
    }
  }

  /**
   * Fails unless reads of the table can be certified: it has the conflict level that the sender
   * knows, its values do not expire, and it is not Phoenix's, whose writers put versions below a
   * commit timestamp. Clients that know this refuse such a table when they read it.
   */
  public void requireCertifiable(ConflictLevel level) {
    TableSettings settings = open.requireTransactional();
    requireLevel(level, settings);
    if (open.retention().isLimited() || settings.plainClients() == PlainClients.PHOENIX) {
      throw Refused.because(
          Refusal.Code.UNSUPPORTED,
          "values of the table may expire, or it is one of Phoenix: what is read there cannot be"
              + " certified, use SNAPSHOT, table="
              + open.table());
    }
  }

  void requireFamily(Bytes family) throws IOException {
    if (!open.region().getTableDescriptor().hasColumnFamily(family.unsafeArray())) {
      throw new NoSuchColumnFamilyException(
          "no such column family, table=" + open.table() + " family=" + family);
    }
  }

  /** Requires that the sender of a row's delete by families knows all of them. */
  void requireRowDelete(Bytes row, IntentCell delete) {
    int families = open.region().getTableDescriptor().getColumnFamilyCount();
    if (!delete.value().isEmpty() && !delete.value().equals(IntentCell.deletingRow(families))) {
      throw Refused.because(
          Refusal.Code.LEVEL_MISMATCH,
          row,
          "the sender does not know the column families of the table, which have changed: a row"
              + " cannot be deleted by them, families="
              + families);
    }
  }

  void requireQualifier(Bytes row, Bytes qualifier) {
    if (Reserved.isReserved(qualifier)) {
      throw Refused.because(
          Refusal.Code.UNSUPPORTED, row, "qualifier is reserved, qualifier=" + qualifier);
    }
  }

  void requireValue(Bytes row, Bytes value) {
    if (open.maxCellBytes() > 0 && value.length() > open.maxCellBytes()) {
      throw Refused.because(
          Refusal.Code.TOO_LARGE, row, "value too large, bytes=" + value.length());
    }
  }

  void requireCells(int cells) {
    if (cells > RequestLimits.MAX_CELLS) {
      throw Refused.because(Refusal.Code.TOO_LARGE, "too many cells, cells=" + cells);
    }
  }

  static Refused malformed(String why) {
    return Refused.because(Refusal.Code.MALFORMED, why);
  }
}
