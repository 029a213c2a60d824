package io.lampone.protocol;

import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * 64-bit hashes that a transaction checks and records at the transaction manager for its writes,
 * and that a serializable one checks for its reads (protocol page, section 7).
 *
 * <pre>
 *   level ROW    any write        checks and records  (row)
 *   level CELL   put, delete one  checks  (cell) (row,family,DEL)
 *                column           records (cell) (row,family,ANY)
 *                delete family    checks  (row,family,ANY) (row,family,DEL)
 *                                 records (row,family,ANY) (row,family,DEL)
 *
 *   level ROW    any read         checks  (row)
 *   level CELL   read a column    checks  (cell) (row,family,DEL)
 *                read a family    checks  (row,family,ANY) (row,family,DEL)
 * </pre>
 *
 * At level CELL, a wide delete and a put below it share no cell, yet they must conflict; the marks
 * ANY and DEL ensure that. A row delete is sent as a delete of each family and needs no further
 * marks.
 *
 * <p>The <em>fence</em> of a table is a hash that transactions check but do not record. Once it is
 * recorded, validations of transactions that began earlier fail.
 *
 * <p>A hash collision may abort a transaction needlessly, but never lets a conflict pass.
 *
 * <p>Not thread-safe.
 */
public final class ConflictKeys {

  private static final int ROW = 1;
  private static final int CELL = 2;
  private static final int FAMILY_ANY = 3;
  private static final int FAMILY_DELETED = 4;
  private static final int FENCE = 5;

  // Hash to the place that it stands for, in order of first use.
  private final Map<Long, RowFamily> check = new LinkedHashMap<>();
  private final Map<Long, RowFamily> record = new LinkedHashMap<>();
  // Hashes that are checked for reads only.
  private final Map<Long, RowFamily> read = new LinkedHashMap<>();
  // Checked hashes that others record without checking them.
  private final Set<Long> marks = new HashSet<>();

  /** Adds the hashes of one written cell of a table. */
  public void add(ConflictLevel level, RowFamily place, IntentKind kind, Bytes qualifier) {
    if (level == ConflictLevel.ROW) {
      long row = hash(ROW, place, false, Bytes.EMPTY);
      check.putIfAbsent(row, place);
      record.putIfAbsent(row, place);
      return;
    }
    long familyAny = hash(FAMILY_ANY, place, true, Bytes.EMPTY);
    long familyDeleted = hash(FAMILY_DELETED, place, true, Bytes.EMPTY);
    check.putIfAbsent(familyDeleted, place);
    marks.add(familyDeleted);
    record.putIfAbsent(familyAny, place);
    if (kind == IntentKind.DELETE_FAMILY) {
      check.putIfAbsent(familyAny, place);
      marks.add(familyAny);
      record.putIfAbsent(familyDeleted, place);
    } else {
      long cell = hash(CELL, place, true, qualifier);
      check.putIfAbsent(cell, place);
      record.putIfAbsent(cell, place);
    }
  }

  /**
   * Adds the hashes of a read. Must be called after all writes have been added.
   *
   * @param what a column or a whole family; ignored at level ROW
   */
  public void addRead(ConflictLevel level, String table, Bytes row, Place what) {
    RowFamily place = new RowFamily(table, row, what.family());
    if (level == ConflictLevel.ROW) {
      addRead(hash(ROW, place, false, Bytes.EMPTY), place);
      return;
    }
    addRead(hash(FAMILY_DELETED, place, true, Bytes.EMPTY), place);
    addRead(
        what.wholeFamily()
            ? hash(FAMILY_ANY, place, true, Bytes.EMPTY)
            : hash(CELL, place, true, what.qualifier()),
        place);
  }

  private void addRead(long hash, RowFamily place) {
    if (!check.containsKey(hash)) {
      read.putIfAbsent(hash, place);
    }
  }

  /** Adds the fence of a table to the hashes to check. */
  public void addFence(String table) {
    check.putIfAbsent(fence(table), new RowFamily(table, Bytes.EMPTY, Bytes.EMPTY));
    marks.add(fence(table));
  }

  /** Adds the fence of a table to the hashes to record. */
  public void recordFence(String table) {
    record.putIfAbsent(fence(table), new RowFamily(table, Bytes.EMPTY, Bytes.EMPTY));
  }

  /** Returns true if the only fences to check, if any, are those of {@code table}. */
  public boolean hasFencesOnlyOf(String table) {
    return check.values().stream()
        .allMatch(place -> !place.row().isEmpty() || place.table().equals(table));
  }

  /** Returns the fence of a table. */
  public static long fence(String table) {
    return hash(FENCE, new RowFamily(table, Bytes.EMPTY, Bytes.EMPTY), false, Bytes.EMPTY);
  }

  /** Returns the hashes to check, in a fixed order. */
  public long[] checkHashes() {
    return Stream.concat(check.keySet().stream(), read.keySet().stream())
        .mapToLong(Long::longValue)
        .toArray();
  }

  /** Returns the hashes to record, in a fixed order. */
  public long[] recordHashes() {
    return record.keySet().stream().mapToLong(Long::longValue).toArray();
  }

  /** Returns the place of the check hash at {@code index} of {@link #checkHashes}. */
  public RowFamily placeOfCheck(int index) {
    List<RowFamily> places = new ArrayList<>(check.values());
    places.addAll(read.values());
    return places.get(index);
  }

  /** Returns the place of the record hash at {@code index} of {@link #recordHashes}. */
  public RowFamily placeOfRecord(int index) {
    return List.copyOf(record.values()).get(index);
  }

  /** Returns true if the check hash at {@code index} was added by reads only. */
  public boolean isRead(int index) {
    return index >= check.size();
  }

  /**
   * Returns true if a hash to check may be recorded by a transaction that does not check it: a
   * read, a mark of a family, or a fence. Rows and cells that are written are checked by each of
   * their writers.
   */
  public boolean isOneSided(long hash) {
    return read.containsKey(hash) || marks.contains(hash);
  }

  private static long hash(int kind, RowFamily place, boolean withFamily, Bytes qualifier) {
    Encoder key = new Encoder(64).u8(kind).text(place.table()).bytes(place.row());
    if (withFamily) {
      key.bytes(place.family());
    }
    if (kind == CELL) {
      key.bytes(qualifier);
    }
    return XxHash64.hash(key.toByteArray());
  }
}
