package io.lampone.coprocessor.core.intent;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Transaction cells of one row and family that have been read so far. Others are read one by one on
 * demand, which avoids reading thousands of them for one.
 */
public final class TransactionCells {

  /** Slot under which a version committed at birth lists the columns that it deletes. */
  public static final int BIRTH_SLOT = 0;

  /** Maximum bytes of the lists of a row that are kept. */
  private static final int MAX_LISTED_BYTES = 16 << 20;

  /** Maximum bytes of lists that are read again, because others had taken their room. */
  private static final int MAX_READ_AGAIN_BYTES = 64 << 20;

  private final StoredRow row;
  private final Bytes family;

  /** Cells read, by start timestamp; allocated for the first one, since most rows have none. */
  private Map<Long, TransactionCell> byStart = Map.of();

  /** Version of the oldest cell passed so far. */
  private long oldest = Long.MAX_VALUE;

  /** Number of older cells that are read together on demand. */
  private final int together;

  /** True if these have been read. */
  private boolean olderRead;

  /** Stands for every aborted cell: a row may have many, with long names of their leaders. */
  private static final TransactionCell ABORTED =
      TransactionCell.leader(List.of(), false, 0).withState(TransactionState.ABORTED, 0);

  /** True if the tombstones of a long cell were omitted from the entries. */
  private boolean listsLeft;

  /** Cells whose lists were read separately, by start timestamp; the last used one is the last. */
  private Map<Long, TransactionCell> listed = Map.of();

  private long listedBytes;

  /** Start timestamps of those that had to make room. */
  private final Set<Long> dropped = new HashSet<>();

  private long readAgainBytes;

  public TransactionCells(StoredRow row, Bytes family) {
    this(row, family, 0);
  }

  /**
   * Creates the cells of a row whose newest ones will be passed in.
   *
   * @param together how many older cells to read together when the first of them is needed
   */
  public TransactionCells(StoredRow row, Bytes family, int together) {
    this.row = row;
    this.family = family;
    this.together = together;
  }

  /** Cells passed and not yet requested: most never are, and are not decoded. */
  private Map<Long, byte[]> unread = Map.of();

  /** Clears everything for the next row. */
  public void forget() {
    byStart = Map.of();
    unread = Map.of();
    oldest = Long.MAX_VALUE;
    olderRead = false;
    listsLeft = false;
    listed = Map.of();
    listedBytes = 0;
    dropped.clear();
    readAgainBytes = 0;
  }

  /**
   * Records a cell that was read, and returns it.
   *
   * @param isOwn whether the reader sees the writes of its transaction, in whatever state it is
   */
  public TransactionCell add(StoredCell stored, boolean isOwn) {
    oldest = Math.min(oldest, stored.version());
    TransactionCell cell = noteState(stored);
    return cell.state() == TransactionState.ABORTED && !isOwn
        ? note(stored.version(), ABORTED)
        : cell;
  }

  private TransactionCell noteState(StoredCell stored) {
    listsLeft |= stored.isLong();
    return note(stored.version(), state(row.key(), stored));
  }

  /** Records a cell that was read, without decoding it. */
  public void keep(StoredCell stored) {
    long start = stored.version();
    oldest = Math.min(oldest, start);
    if (stored.isLong()) {
      noteState(stored);
      return;
    }
    if (unread.isEmpty()) {
      unread = new HashMap<>();
    }
    unread.put(start, stored.value());
  }

  private @Nullable TransactionCell known(long start) {
    TransactionCell known = byStart.get(start);
    if (known != null || unread.isEmpty()) {
      return known;
    }
    byte[] value = unread.remove(start);
    return value == null ? null : note(start, decode(row.key(), value));
  }

  /** Reads the next few cells below those passed, once: others are likely to be needed. */
  private @Nullable TransactionCell older(long start) throws IOException {
    if (olderRead || together <= 1 || start >= oldest || oldest == Long.MAX_VALUE) {
      return null;
    }
    olderRead = true;
    int[] left = {together};
    row.visit(
        new Selection(List.of(family), List.of(Reserved.TRANSACTION), start, oldest - 1),
        cell -> {
          keep(cell);
          left[0]--;
          return left[0] > 0 ? Next.VERSION : Next.STOP;
        });
    return known(start);
  }

  private TransactionCell note(long start, TransactionCell cell) {
    if (byStart.isEmpty()) {
      byStart = new HashMap<>();
    }
    byStart.put(start, cell);
    return cell;
  }

  /**
   * Returns true if the transaction of {@code start} lists a tombstone of a column.
   *
   * @param cell its cell, as returned by this class
   */
  public boolean deletes(long start, TransactionCell cell, int slot, Bytes qualifier)
      throws IOException {
    if (!listsLeft || !cell.deletedColumns().isEmpty()) {
      return cell.deletes(slot, qualifier);
    }
    TransactionCell known = listed.get(start);
    return (known == null ? withList(start, cell) : known).deletes(slot, qualifier);
  }

  private TransactionCell withList(long start, TransactionCell head) throws IOException {
    TransactionCell found =
        lookUp(
            start,
            stored ->
                decode(row.key(), () -> stored.read(TransactionCell::decodeWithoutFollowers)));
    TransactionCell read = found == null ? head : found;
    if (dropped.contains(start)) {
      readAgainBytes += read.tombstoneBytes();
      requireBounded();
    }
    if (listed.isEmpty()) {
      listed = new LinkedHashMap<>(8, 0.75f, true);
    }
    listed.put(start, read);
    listedBytes += read.tombstoneBytes();
    Iterator<Map.Entry<Long, TransactionCell>> eldest = listed.entrySet().iterator();
    while (listedBytes > MAX_LISTED_BYTES && listed.size() > 1) {
      Map.Entry<Long, TransactionCell> least = eldest.next();
      listedBytes -= least.getValue().tombstoneBytes();
      dropped.add(least.getKey());
      eldest.remove();
    }
    return read;
  }

  private void requireBounded() {
    if (readAgainBytes > MAX_READ_AGAIN_BYTES) {
      throw Refused.because(
          Refusal.Code.TOO_LARGE,
          row.key(),
          "too many columns of the row were deleted in turns by too many writers: delete the row,"
              + " or compact its region (major_compact) when the safe point is above them, family="
              + family);
    }
  }

  /**
   * Returns the cell by which {@code version} is judged.
   *
   * @throws Refused CORRUPT if there is none: no known writer can have written that version
   */
  public TransactionCell of(long version) throws IOException {
    long start = Timestamps.tick(version);
    TransactionCell known = known(start);
    if (known != null) {
      return known;
    }
    TransactionCell found = older(start);
    if (found == null) {
      found = lookUp(start, this::noteState);
    }
    if (found == null) {
      throw Refused.because(
          Refusal.Code.CORRUPT,
          row.key(),
          "version without a transaction cell, family=" + family + " version=" + version);
    }
    return note(start, found);
  }

  /**
   * Returns the cell that a write committed at birth left beside its data, if it deletes columns;
   * null otherwise.
   *
   * @param someLeft whether there may be cells that have not been passed
   */
  public @Nullable TransactionCell atBirth(long version, boolean someLeft) throws IOException {
    TransactionCell known = known(version);
    return known != null || !someLeft ? known : lookUp(version, this::noteState);
  }

  /** Decodes a transaction cell; refuses an unreadable one. */
  static TransactionCell decode(Bytes row, byte[] value) {
    return decode(row, () -> TransactionCell.decode(value));
  }

  /**
   * Returns the state in a cell of its row and family, without the list of a leader's followers,
   * and for a long cell without its tombstones: a row may have any number of cells, and for nearly
   * all only the state matters.
   */
  public static TransactionCell state(Bytes row, StoredCell stored) {
    return decode(
        row,
        () ->
            stored.isLong()
                ? stored.read(TransactionCell::decodeHead)
                : stored.read(TransactionCell::decodeWithoutFollowers));
  }

  private static TransactionCell decode(Bytes row, Supplier<TransactionCell> reading) {
    try {
      return reading.get();
    } catch (MalformedException e) {
      throw corrupt(row, "unreadable transaction cell: " + e.getMessage());
    }
  }

  /**
   * Fails if the leader named by an undecided cell has an impossible place: such a cell was not
   * written by this version.
   */
  public static TransactionCell requireLegalLeader(Bytes row, TransactionCell cell) {
    if (cell.leader().isPresent() && !cell.leader().get().isLegal()) {
      throw corrupt(row, "an undecided transaction cell names a leader where none can be");
    }
    return cell;
  }

  private static Refused corrupt(Bytes row, String what) {
    return Refused.because(
        Refusal.Code.CORRUPT, row, what + "; only this row is affected: see lampone doctor");
  }

  private @Nullable TransactionCell lookUp(
      long start, Function<StoredCell, TransactionCell> reading) throws IOException {
    TransactionCell[] found = new TransactionCell[1];
    row.visit(
        Selection.exactly(List.of(family), Reserved.TRANSACTION, start),
        cell -> {
          found[0] = reading.apply(cell);
          return Next.STOP;
        });
    return found[0];
  }
}
