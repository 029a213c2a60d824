package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fence.Statements;
import io.lampone.coprocessor.core.visibility.FamilyView;
import io.lampone.coprocessor.core.visibility.FamilyView.Step;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.coprocessor.row.CellCursor;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.coprocessor.row.StoreFilesSeen;
import io.lampone.coprocessor.write.PlainClientSupport;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.regionserver.Region;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the application's filter in a Get or Scan and calls it for visible cells only; whatever
 * HBase counts above a filter (limits, batches, sizes) it then counts in visible cells. It also
 * carries the state of the request: a map keyed by Gets would confuse two Gets of one row, which
 * are equal to HBase (B6).
 *
 * <p>A cell that depends on an undecided transaction is replaced by a <em>pointer</em>: that
 * transaction's cell. From then on the application's filter does not receive cells of the row and
 * cannot drop it; other undecided cells of the row are replaced by pointers as well. The client
 * resolves them and reads again. Where other coprocessors process the result, a pointer would not
 * reach the client: such a read is refused instead ({@link IntentsAhead}). A pointer may occur in a
 * row or column that the application's filter would have dropped; that costs an unnecessary
 * resolution. No pointer names a column that an authorizer hides.
 *
 * <p>Cells that come before the reserved columns are included first and judged afterwards ({@link
 * DeferredCells}), which demands that HBase returns whole rows. Where it must not, as with a batch
 * limit, a separate look-up reads the reserved columns of the row.
 */
final class VisibilityFilter extends FilterBase {

  private final ReadView view;
  private final Region region;
  private final UserFilter user;
  private final ReadOptions options;
  private final CellCursor cursor = new CellCursor();

  /** Files of the scanner, which is opened after this: look-ups must read the same. */
  private final StoreFilesSeen files;

  /** MVCC read point of look-ups beside the scanner; 0 = the newest. Set before the first cell. */
  private long readPoint;

  // All of the following belongs to the one thread that runs the request at a time.

  private boolean forPlainClient;

  /** The current row; created when the read point is known. */
  private @Nullable HBaseRow row;

  /** Views of the families read so far, in any row. */
  private final List<FamilyView> families = new ArrayList<>(1);

  /** Family of the current cells; null before the first of a row. */
  private @Nullable FamilyView family;

  /** Previous family, possibly of the previous row. */
  private @Nullable FamilyView lastFamily;

  /** Cells of the row and family that the application's filter has passed. */
  private int shownInFamily;

  /** Number of visible versions of one column to show, at most what the family shows. */
  private int maxVersions;

  /** Last column of the family that is read; null if all are. May be a reserved one. */
  private @Nullable Bytes lastColumn;

  /** Versions of the column that the application's filter has received. */
  private int versionsOfColumn;

  /**
   * True if no more cells of the column are needed. HBase does not always skip the rest of a
   * column: it iterates over the versions of the empty one. Not set if only the application's
   * filter needs no more: for a plain table it would be called again, too.
   */
  private boolean columnDone;

  private final IntentPointers pointers; // if there are any, the row is tainted

  private final DeferredCells deferred = new DeferredCells(this::judge, this::shown);

  /** True if the current row is returned as a whole; changes between rows only. */
  private boolean wholeRow;

  private boolean mayBeWhole;

  /** True if cells before the reserved columns have occurred, or will. */
  private boolean early;

  /** True if the row has cells, none of which is shown. */
  private boolean isEmptied;

  /** True if the application's filter needs no more cells of the row and family. */
  private boolean familyDone;

  /**
   * @param statements of the region: how a transaction is named to its readers
   * @param hidden columns that no pointer may name
   */
  VisibilityFilter(
      ReadView view,
      Region region,
      Statements statements,
      @Nullable Filter userFilter,
      HiddenColumns hidden,
      ReadOptions options) {
    this.view = view;
    this.region = region;
    this.user = new UserFilter(userFilter);
    this.pointers = new IntentPointers(region, statements, hidden);
    this.options = options;
    this.files = StoreFilesSeen.of(region);
    this.mayBeWhole = !options.batched();
    this.early = options.namesColumnBefore(Reserved.PREFIX);
    this.wholeRow = mayBeWhole && early;
  }

  /**
   * Makes all look-ups see what the scanner sees. A view without a start timestamp needs that: it
   * would show later commits.
   */
  void readAt(long newReadPoint) {
    readPoint = newReadPoint;
  }

  /** Refuses undecided intents from now on, and returns no pointers. */
  void refuse(IntentsAhead ahead) {
    pointers.refuse(ahead);
  }

  /** Reports failures from now on as exceptions that make plain HBase clients retry. */
  VisibilityFilter forPlainClient() {
    forPlainClient = true;
    pointers.forPlainClient();
    return this;
  }

  /** Returns true if the read has a start timestamp. */
  boolean isSnapshot() {
    return view instanceof SnapshotView;
  }

  long snapshot() {
    return view.snapshot();
  }

  @Override
  public ReturnCode filterCell(Cell cell) throws IOException {
    try {
      return decide(cell);
    } catch (RuntimeException | Error e) {
      throw told("filterCell", e);
    }
  }

  private IOException told(String method, Throwable failure) {
    IOException told = Guard.told(method, failure);
    return forPlainClient ? PlainClientSupport.patient(told) : told;
  }

  private ReturnCode decide(Cell cell) throws IOException {
    if (user.hasRejectedRow()) {
      return ReturnCode.NEXT_ROW;
    }
    cursor.moveTo(cell);
    if (deferred.anyOpen() && !isInFamily()) {
      settle(cell);
      if (user.needsNoMore()) {
        return ReturnCode.NEXT_ROW;
      }
    }
    FamilyView here = enterFamily();
    // Fast exit for nearly all cells.
    if (!cursor.isFarBehind(Reserved.PREFIX)) {
      if (cursor.isReserved(Reserved.PREFIX)) {
        return here.reserved(cursor) == Step.NEXT_VERSION ? ReturnCode.SKIP : ReturnCode.NEXT_COL;
      }
      if (cursor.isBefore(Reserved.PREFIX)) {
        early = true;
        if (pointers.none() && user.isBeforeTargetRow(cell)) {
          return user.towardsTarget(cell);
        }
        if (wholeRow && deferred.accept(cell)) {
          return ReturnCode.INCLUDE;
        }
        here.readAside();
      }
    }
    familyDone |= deferred.anyOpen() && settle(cell);
    if (familyDone) {
      return ReturnCode.NEXT_ROW;
    }
    return deferred.isOfDoneColumn(cell) ? ReturnCode.NEXT_COL : data(here, cell);
  }

  /** Judges the deferred cells of the family; returns true if it needs no more cells. */
  private boolean settle(Cell next) throws IOException {
    boolean done = deferred.settle(lastColumn != null) || user.needsNoMore();
    cursor.moveTo(next);
    return done;
  }

  private ReturnCode judge(Cell cell) throws IOException {
    cursor.moveTo(cell);
    return user.needsNoMore() ? ReturnCode.NEXT_ROW : data(Objects.requireNonNull(family), cell);
  }

  private ReturnCode data(FamilyView here, Cell cell) throws IOException {
    if (pointers.none() && user.isBeforeTarget(cell)) {
      return user.towardsTarget(cell);
    }
    if (here.enterColumn(cursor)) {
      versionsOfColumn = 0;
      columnDone = false;
    } else if (columnDone) {
      return ReturnCode.NEXT_COL;
    }
    Step step = here.data(cursor);
    columnDone = step == Step.NEXT_COLUMN || step == Step.POINT;
    return switch (step) {
      case NEXT_VERSION -> ReturnCode.SKIP;
      case NEXT_COLUMN -> ReturnCode.NEXT_COL;
      case POINT -> pointers.include(cell, here) ? ReturnCode.INCLUDE : ReturnCode.NEXT_COL;
      case SHOW -> show(cell);
    };
  }

  private boolean isInFamily() {
    FamilyView known = family;
    return known != null && cursor.isIn(known.family());
  }

  private FamilyView enterFamily() {
    FamilyView known = family;
    if (known != null && isInFamily()) {
      return known;
    }
    familyDone = false;
    FamilyView entered = familyOfCursor();
    entered.enterRow();
    if (entered != lastFamily) {
      maxVersions = options.maxVersions(entered.family());
      lastColumn = options.lastColumn(entered.family());
      lastFamily = entered;
    }
    family = entered;
    shownInFamily = 0;
    return entered;
  }

  private FamilyView familyOfCursor() {
    for (int i = 0; i < families.size(); i++) {
      if (cursor.isIn(families.get(i).family())) {
        return families.get(i);
      }
    }
    HBaseRow here = row;
    if (here == null) {
      here = new HBaseRow(region, cursor::row, readPoint, options.retention(), files);
      row = here;
    }
    Bytes name = cursor.family();
    FamilyView added = new FamilyView(view, here, name, options.readAhead(name.unsafeArray()));
    families.add(added);
    return added;
  }

  private ReturnCode show(Cell cell) throws IOException {
    if (!pointers.none()) {
      return ReturnCode.NEXT_COL;
    }
    ReturnCode code = user.visible(cell);
    versionsOfColumn++;
    if (versionsOfColumn >= maxVersions) {
      columnDone = true;
      code = lastVersion(code);
    }
    return limited(code);
  }

  /**
   * Makes HBase seek only if there is something to skip, as it does by itself: seeking in a
   * memstore costs more than reading a cell. Cells behind the last column are not needed; otherwise
   * the next column mostly follows, and {@link #columnDone} ends a column with older versions.
   */
  private ReturnCode lastVersion(ReturnCode code) {
    return switch (code) {
      case INCLUDE ->
          lastColumn != null && cursor.isAt(lastColumn)
              ? ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW
              : ReturnCode.INCLUDE;
      case SKIP -> ReturnCode.NEXT_COL;
      default -> code;
    };
  }

  private ReturnCode limited(ReturnCode code) {
    if (!DeferredCells.isIncluded(code)) {
      return code;
    }
    shownInFamily++;
    return options.limited(code, shownInFamily);
  }

  @Override
  public Cell transformCell(Cell cell) throws IOException {
    return deferred.isLast(cell) ? cell : shown(cell);
  }

  private Cell shown(Cell cell) throws IOException {
    Cell instead = pointers.take();
    return instead != null ? instead : user.transform(cell);
  }

  @Override
  public @Nullable Cell getNextCellHint(Cell cell) {
    return user.seek();
  }

  @Override
  public void reset() throws IOException {
    user.reset();
    family = null;
    pointers.clear();
    deferred.clear();
    familyDone = false;
    isEmptied = false;
    wholeRow = mayBeWhole && early;
  }

  /** Admits every stored row: visibility of its cells is not known yet. */
  @Override
  public boolean filterRowKey(Cell cell) {
    return false;
  }

  @Override
  public boolean filterAllRemaining() throws IOException {
    return user.filterAllRemaining();
  }

  @Override
  public boolean hasFilterRow() {
    return wholeRow || user.hasFilterRow();
  }

  @Override
  public void filterRowCells(List<Cell> cells) throws IOException {
    try {
      deferred.settle(lastColumn != null);
    } catch (RuntimeException | Error e) {
      throw told("filterRowCells", e);
    }
    Cell first = cells.isEmpty() ? null : cells.get(0);
    mayBeWhole &= !wholeRow || !DeferredCells.isLarge(cells);
    deferred.complete(cells);
    if (pointers.none() && user.hasFilterRow()) {
      user.filterRowCells(cells);
    }
    if (cells.isEmpty() && first != null) {
      // HBase checks its time limit at rows that filterRow excludes, not at such that became empty.
      cells.add(first);
      isEmptied = true;
    }
  }

  @Override
  public boolean filterRow() throws IOException {
    return isEmptied || pointers.none() && user.filterRow();
  }

  @Override
  public boolean isFamilyEssential(byte[] name) throws IOException {
    boolean isEssential = wholeRow || user.isFamilyEssential(name);
    mayBeWhole &= isEssential; // others are read after filterRowCells
    return isEssential;
  }

  @Override
  public void setReversed(boolean reversed) {
    super.setReversed(reversed);
    user.setReversed(reversed);
  }
}
