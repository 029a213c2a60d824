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
 * Certifies a read of one row by a serializable transaction: that no version that is committed at
 * birth lies between its snapshot and its commit timestamp (protocol page, section 4). Regular
 * writers are the transaction manager's to find.
 *
 * <p>The order is the argument. The clock is raised before the row is looked at, so nothing is born
 * below the commit timestamp any more. What was drawn below it before had registered before, so it
 * is waited for, and is visible to the look or never [E1]. What was born in between cannot have
 * been collected or frozen unless the safe point or the floor has passed the snapshot, and another
 * server cannot have taken the region unless this one has lost its session: all that is checked
 * after the look [H6, H11].
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

    /** The cells that are visible now. */
    StoredRow stored();

    /** Fails if the table does not know its past as far back as {@code snapshot}. */
    void requireAboveFloor(long snapshot);
  }

  /**
   * @param read the columns that were read, by family; none = all. At level ROW the whole row
   *     counts, whatever was read
   */
  public Certification(
      CertifyRequest request, Map<Bytes, Set<Bytes>> read, Row row, RegionGuards guards) {
    this.request = request;
    this.read = read;
    this.row = row;
    this.guards = guards;
  }

  /** A commit timestamp in between at which what was read was changed; 0 if there is none. */
  public long changedAt() throws IOException {
    long start = request.startTimestamp();
    long commit = request.commitTimestamp();
    guards.requireKnown(request.floor());
    guards.requirePossible(start);
    guards.requirePossible(commit);
    guards.requireIssued(commit, request.issued());
    guards.bump(commit);
    row.awaitWrites(commit);
    long changed = row.bornAbove(start) == 0 ? 0 : look();
    row.requireAboveFloor(start);
    ReadAdmission.requireHolds(start, guards);
    return changed;
  }

  /** Only versions in between are read: HBase leaves out the files and segments without any. */
  private long look() throws IOException {
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
