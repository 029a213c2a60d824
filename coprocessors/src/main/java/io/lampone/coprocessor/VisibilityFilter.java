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
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionCell;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
 */
final class VisibilityFilter extends FilterBase {

  private final ReadView view;
  private final Region region;
  private final Statements statements;
  private final UserFilter user;
  private final HiddenColumns hidden;
  private final ReadOptions options;
  private final CellCursor cursor = new CellCursor();

  /** Files of the scanner, which is opened after this: look-ups must read the same. */
  private final StoreFilesSeen files;

  /** MVCC read point of look-ups beside the scanner; 0 = the newest. Set before the first cell. */
  private long readPoint;

  // All of the following belongs to the one thread that runs the request at a time.

  private boolean forPlainClient;

  /** The refusal of undecided intents; null if pointers are returned. */
  private @Nullable IntentsAhead ahead;

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

  /**
   * Intents in this row for which pointers were returned, by family and start timestamp. If there
   * are any, the row is tainted.
   */
  private final Set<List<Object>> pointers = new HashSet<>();

  /** Pointer that replaces the cell being included. */
  private @Nullable Cell pointer;

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
    this.statements = statements;
    this.user = new UserFilter(userFilter);
    this.hidden = hidden;
    this.options = options;
    this.files = StoreFilesSeen.of(region);
  }

  /**
   * Makes all look-ups see what the scanner sees. A view without a start timestamp needs that: it
   * would show later commits.
   */
  void readAt(long newReadPoint) {
    readPoint = newReadPoint;
  }

  /** Refuses undecided intents from now on, and returns no pointers. */
  void refuse(IntentsAhead newAhead) {
    ahead = newAhead;
  }

  /** Reports failures from now on as exceptions that make plain HBase clients retry. */
  VisibilityFilter forPlainClient() {
    forPlainClient = true;
    return this;
  }

  /**
   * Returns true if the read has a start timestamp; false if it sees the latest committed state.
   */
  boolean isSnapshot() {
    return view instanceof SnapshotView;
  }

  /** Returns the snapshot of the read. */
  long snapshot() {
    return view.snapshot();
  }

  @Override
  public ReturnCode filterCell(Cell cell) throws IOException {
    try {
      return decide(cell);
    } catch (RuntimeException | Error e) {
      IOException told = Guard.told("filterCell", e);
      throw forPlainClient ? PlainClientSupport.patient(told) : told;
    }
  }

  private ReturnCode decide(Cell cell) throws IOException {
    if (user.hasRejectedRow()) {
      return ReturnCode.NEXT_ROW;
    }
    cursor.moveTo(cell);
    FamilyView here = enterFamily();
    // Fast exit for nearly all cells.
    if (!cursor.isFarBehind(Reserved.PREFIX)) {
      if (cursor.isReserved(Reserved.PREFIX)) {
        return here.reserved(cursor) == Step.NEXT_VERSION ? ReturnCode.SKIP : ReturnCode.NEXT_COL;
      }
      if (cursor.isBefore(Reserved.PREFIX)) {
        here.readAside();
      }
    }
    if (pointers.isEmpty() && user.isBeforeTarget(cell)) {
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
      case POINT -> point(here, cell);
      case SHOW -> show(cell);
    };
  }

  private FamilyView enterFamily() {
    FamilyView known = family;
    if (known != null && cursor.isIn(known.family())) {
      return known;
    }
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
      here = new HBaseRow(region, cursor::row, readPoint, options.retention(), files, isReversed());
      row = here;
    }
    Bytes name = cursor.family();
    FamilyView added = new FamilyView(view, here, name, options.readAhead(name.unsafeArray()));
    families.add(added);
    return added;
  }

  private ReturnCode show(Cell cell) throws IOException {
    if (!pointers.isEmpty()) {
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

  /** Applies HBase's limit and offset within a family, which must not drop a pointer. */
  private ReturnCode limited(ReturnCode code) {
    if (code != ReturnCode.INCLUDE
        && code != ReturnCode.INCLUDE_AND_NEXT_COL
        && code != ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW) {
      return code;
    }
    shownInFamily++;
    if (shownInFamily <= options.offset()) {
      return switch (code) {
        case INCLUDE -> ReturnCode.SKIP;
        case INCLUDE_AND_NEXT_COL -> ReturnCode.NEXT_COL;
        default -> ReturnCode.NEXT_ROW;
      };
    }
    boolean last = options.limit() >= 0 && shownInFamily >= options.limit() + options.offset();
    return last ? ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW : code;
  }

  private ReturnCode point(FamilyView here, Cell cell) throws IOException {
    if (hidden.contains(cell)) {
      return ReturnCode.NEXT_COL;
    }
    if (forPlainClient) {
      throw PlainClientSupport.busy(region.getTableDescriptor().getTableName().getNameAsString());
    }
    statements.met();
    long start = here.undecidedStart();
    Bytes current = here.family();
    if (ahead != null) {
      throw ahead.refusal(cell, current, start, pointed(start, here.undecidedCell()));
    }
    if (!pointers.add(List.of(current, start))) {
      return ReturnCode.NEXT_COL;
    }
    pointer = Carrier.pointerCell(cell, start, pointed(start, here.undecidedCell()));
    // Not INCLUDE_AND_NEXT_COL: HBase would search for the next column from the pointer on.
    return ReturnCode.INCLUDE;
  }

  private TransactionCell pointed(long start, TransactionCell cell) {
    return statements.shown(
        region.getTableDescriptor().getTableName().getNameAsString(), start, cell);
  }

  @Override
  public Cell transformCell(Cell cell) throws IOException {
    Cell instead = pointer;
    pointer = null;
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
    pointer = null;
    pointers.clear();
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
    return user.hasFilterRow();
  }

  @Override
  public void filterRowCells(List<Cell> cells) throws IOException {
    if (pointers.isEmpty()) {
      user.filterRowCells(cells);
    }
  }

  @Override
  public boolean filterRow() throws IOException {
    return pointers.isEmpty() && user.filterRow();
  }

  @Override
  public boolean isFamilyEssential(byte[] name) throws IOException {
    return user.isFamilyEssential(name);
  }

  @Override
  public void setReversed(boolean reversed) {
    super.setReversed(reversed);
    user.setReversed(reversed);
  }
}
