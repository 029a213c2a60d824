package io.lampone.coprocessor.core.visibility;

import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.fence.ReadAdmission;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.intent.StoredRow.Visitor;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.CertifyRequest;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Certifies a read of one row by a serializable transaction: checks that no version committed at
 * birth lies between the transaction's snapshot and its commit timestamp (protocol page, section
 * 4). The transaction manager detects conflicts with regular writers.
 *
 * <p>Correctness rests on the order of the steps. The clock is raised before the row is read, so no
 * version can be drawn below the commit timestamp afterwards. A write that drew a version below it
 * had registered first; it is waited for, so its cells are visible to the read or never will be
 * [E1]. A version between the two timestamps can have been collected or frozen only if the safe
 * point or the floor has passed the snapshot, and another server can have opened the region only if
 * this one has lost its session. Both are checked after the read [H6, H11].
 */
public final class Certification {

  private final CertifyRequest request;
  private final Map<Bytes, Set<Bytes>> read;
  private final Row row;
  private final RegionGuards guards;

  /** Port: the row. */
  public interface Row {

    /** Waits for the writes below {@code timestamp} that are not visible yet. */
    void awaitWrites(long timestamp);

    /** See {@link RecentVersions#bornAbove}. */
    long bornAbove(long timestamp);

    /** Returns the cells that are visible now. */
    StoredRow stored();

    /** Fails if the table's history does not reach back to {@code snapshot}. */
    void requireAboveFloor(long snapshot);
  }

  /**
   * @param read the columns that were read, by family; none = all. At level ROW the whole row
   *     counts, whichever columns were read
   */
  public Certification(
      CertifyRequest request, Map<Bytes, Set<Bytes>> read, Row row, RegionGuards guards) {
    this.request = request;
    this.read = read;
    this.row = row;
    this.guards = guards;
  }

  /** Returns a commit timestamp in between at which what was read changed; 0 if there is none. */
  public long changedAt() throws IOException {
    admit();
    row.awaitWrites(request.commitTimestamp());
    long changed = look();
    confirm();
    return changed;
  }

  /** First step: admits the request and raises the clock. */
  public void admit() {
    long start = request.startTimestamp();
    long commit = request.commitTimestamp();
    guards.requireKnown(request.floor());
    guards.requirePossible(start);
    guards.requirePossible(commit);
    guards.requireIssued(commit, request.issued());
    guards.bump(commit);
  }

  /**
   * Second step, after the writes below the commit timestamp have become visible: searches the row.
   *
   * @return see {@link #changedAt}; valid only after the third step
   */
  public long look() throws IOException {
    return row.bornAbove(request.startTimestamp()) == 0 ? 0 : born();
  }

  /** Third step: ensures that nothing relevant was removed before the search. */
  public void confirm() {
    row.requireAboveFloor(request.startTimestamp());
    ReadAdmission.requireHolds(request.startTimestamp(), guards);
  }

  /** Reads only versions in between, so HBase can skip files and segments without any. */
  private long born() throws IOException {
    StoredRow stored = row.stored();
    long[] born = new long[1];
    Visitor visitor =
        cell -> {
          if (cell.isAt(Reserved.TRANSACTION)) {
            return Next.COLUMN;
          }
          if (!Timestamps.isCommittedAtBirth(cell.version())) {
            return Next.VERSION;
          }
          born[0] = cell.version();
          return Next.STOP;
        };
    if (request.level() == ConflictLevel.ROW) {
      stored.visit(between(stored.families(), Set.of()), visitor);
      return born[0];
    }
    for (Map.Entry<Bytes, Set<Bytes>> family : read.entrySet()) {
      Set<Bytes> columns = new HashSet<>(family.getValue());
      if (!columns.isEmpty()) {
        columns.add(Reserved.FAMILY_TOMBSTONE);
      }
      if (born[0] == 0) {
        stored.visit(between(Set.of(family.getKey()), columns), visitor);
      }
    }
    return born[0];
  }

  private Selection between(Collection<Bytes> families, Set<Bytes> columns) {
    return new Selection(
        families, columns, request.startTimestamp() + 1, request.commitTimestamp() - 1);
  }
}
