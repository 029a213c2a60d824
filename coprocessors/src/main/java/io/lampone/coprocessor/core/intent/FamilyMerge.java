package io.lampone.coprocessor.core.intent;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionCell.DeletedColumn;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Cells that one flush puts into one family of one row, given what earlier flushes of the same
 * transaction left there.
 *
 * <p>A column tombstone is an empty cell listed in the transaction cell; an empty value is an empty
 * cell that is not listed. So a flush updates the list: it removes what it puts again in the same
 * slot and adds what it deletes. A family tombstone hides what is older than its version and leaves
 * the puts at its own version visible, because later puts of the same slot must stay. Puts that an
 * EARLIER flush left at that version precede the tombstone and must not stay: they become column
 * tombstones here. The sender has already left out those of this flush.
 */
final class FamilyMerge {

  private final String table;
  private final Flush flush;
  private final FamilyIntents intents;
  private final @Nullable TransactionCell stored;
  private final List<CellWrite> writes = new ArrayList<>();
  private final Set<DeletedColumn> deleted = new LinkedHashSet<>();

  /**
   * @param table the name of the region's table: another table may have the same row and family
   */
  FamilyMerge(String table, Flush flush, FamilyIntents intents, @Nullable TransactionCell stored) {
    this.table = table;
    this.flush = flush;
    this.intents = intents;
    this.stored = stored;
  }

  /** Returns the cells, including the transaction cell. */
  List<CellWrite> writes(StoredRow row) throws IOException {
    if (stored != null) {
      deleted.addAll(stored.deletedColumns());
      coverEarlierFlushes(row);
    }
    for (IntentCell cell : intents.cells()) {
      CellWrite.requireLifetime(row, intents.family(), cell.lifetimeMillis());
      write(cell);
    }
    TransactionCell merged = transactionCell(row);
    CellWrite write = CellWrite.of(intents.family(), flush.startTimestamp(), merged);
    requireListable(row, write.value().length());
    writes.add(write);
    return writes;
  }

  private void coverEarlierFlushes(StoredRow row) throws IOException {
    SlotSet covered = SlotSet.NONE;
    Set<DeletedColumn> again = new HashSet<>();
    for (IntentCell cell : intents.cells()) {
      if (cell.kind() == IntentKind.DELETE_FAMILY) {
        covered = covered.with(cell.slot());
      } else {
        again.add(new DeletedColumn(cell.slot(), cell.qualifier()));
      }
    }
    if (!covered.isEmpty()) {
      cover(row, covered, again);
    }
  }

  private void cover(StoredRow row, SlotSet slots, Set<DeletedColumn> again) throws IOException {
    long start = flush.startTimestamp();
    int[] bytes = new int[1];
    row.visit(
        new Selection(
            List.of(intents.family()), List.of(), start, Timestamps.highestOwnVersion(start)),
        cell -> {
          Bytes qualifier = cell.qualifier();
          DeletedColumn column = new DeletedColumn(Timestamps.local(cell.version()), qualifier);
          if (slots.contains(column.slot())
              && !Reserved.isReserved(qualifier)
              && !again.contains(column)) {
            bytes[0] += qualifier.length() + 2;
            requireListable(row, bytes[0]);
            delete(column.slot(), qualifier);
          }
          return Next.VERSION;
        });
  }

  private static void requireListable(StoredRow row, int bytes) {
    if (bytes > RequestLimits.MAX_TRANSACTION_CELL_BYTES) {
      throw Refused.because(
          Refusal.Code.TOO_LARGE,
          row.key(),
          "transaction cell too large: one transaction deletes too many columns of one row and"
              + " family, bytes="
              + bytes
              + " limit="
              + RequestLimits.MAX_TRANSACTION_CELL_BYTES);
    }
  }

  private void write(IntentCell cell) {
    switch (cell.kind()) {
      case PUT -> {
        deleted.remove(new DeletedColumn(cell.slot(), cell.qualifier()));
        put(cell.slot(), cell.qualifier(), cell.value(), cell.lifetimeMillis());
      }
      case DELETE_COLUMN -> delete(cell.slot(), cell.qualifier());
      case DELETE_FAMILY ->
          put(cell.slot(), Reserved.FAMILY_TOMBSTONE, Bytes.EMPTY, FamilyRetention.FOREVER);
    }
  }

  private void delete(int slot, Bytes qualifier) {
    deleted.add(new DeletedColumn(slot, qualifier));
    put(slot, qualifier, Bytes.EMPTY, FamilyRetention.FOREVER);
  }

  private void put(int slot, Bytes qualifier, Bytes value, long lifetimeMillis) {
    long version = Timestamps.version(flush.startTimestamp(), slot);
    writes.add(
        new CellWrite(
            intents.family(), qualifier, version, value, OperationId.NONE, lifetimeMillis));
  }

  private TransactionCell transactionCell(StoredRow row) {
    RowFamily here = new RowFamily(table, row.key(), intents.family());
    boolean leads = here.equals(flush.leader());
    SlotSet earlier = stored == null ? SlotSet.NONE : stored.rolledBackSlots();
    FollowerList followers = leads ? followers() : FollowerList.INCOMPLETE;
    return new TransactionCell(
        TransactionState.PENDING,
        0,
        flush.flushNumber(),
        earlier.union(intents.rolledBackSlots()),
        leads ? Optional.empty() : Optional.of(flush.leader()),
        followers.places(),
        followers.complete(),
        List.copyOf(deleted),
        Tag.NONE);
  }

  private FollowerList followers() {
    if (intents.followers().isPresent() || stored == null) {
      return intents.followers().orElse(FollowerList.INCOMPLETE);
    }
    return new FollowerList(stored.followers(), stored.followersComplete());
  }
}
