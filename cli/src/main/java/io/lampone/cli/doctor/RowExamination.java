package io.lampone.cli.doctor;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.jspecify.annotations.Nullable;

/**
 * Judges all versions of all cells of one row by the rules of the protocol page, sections 1 and 2.
 * Independent of other rows.
 */
final class RowExamination {

  private final String table;
  private final long bound;
  private final long oldBelow;
  private final boolean isRedacted;

  /** Pending follower whose leader has not been looked up yet. */
  record Follower(RowFamily place, TransactionId id) {}

  /**
   * Cell whose version is not below the bound.
   *
   * @param tick global timestamp of its version
   * @param place row and family, printable
   * @param cell the cell
   * @param otherwise finding that applies if its version has been issued
   */
  record Suspect(
      String table,
      long tick,
      String place,
      DoctorFinding.Stored cell,
      Optional<DoctorFinding> otherwise) {

    /** Returns the problem with it, by a bound that was read after the cell had been seen. */
    Optional<DoctorFinding> judge(long bound) {
      return tick < bound
          ? otherwise
          : Optional.of(
              new DoctorFinding(
                  Ailment.IMPOSSIBLE_VERSION,
                  table,
                  place,
                  "version=" + cell.version() + " bound=" + bound,
                  Optional.empty(),
                  Optional.empty(),
                  Optional.of(cell)));
    }
  }

  private final List<DoctorFinding> findings = new ArrayList<>();
  private final List<Follower> followers = new ArrayList<>();
  private final List<Suspect> suspects = new ArrayList<>();

  /**
   * @param bound timestamps below it may have been issued; others are suspect
   * @param oldBelow a transaction that began below it should have ended
   * @param isRedacted whether a leader may be named by a place in no table
   */
  RowExamination(String table, long bound, long oldBelow, boolean isRedacted) {
    this.table = table;
    this.isRedacted = isRedacted;
    this.bound = bound;
    this.oldBelow = oldBelow;
  }

  List<DoctorFinding> findings() {
    return findings;
  }

  /** Pending followers of transactions that should have ended. */
  List<Follower> followers() {
    return followers;
  }

  /** Cells that are impossible, unless the bound has risen meanwhile. */
  List<Suspect> suspects() {
    return suspects;
  }

  void examine(Cell[] cells) {
    Map<Bytes, Set<Long>> transactions = new HashMap<>();
    for (Cell cell : cells) {
      if (isTransactionCell(cell)) {
        transactions
            .computeIfAbsent(Bytes.wrap(CellUtil.cloneFamily(cell)), f -> new HashSet<>())
            .add(cell.getTimestamp());
      }
    }
    for (Cell cell : cells) {
      long version = cell.getTimestamp();
      if (Timestamps.isPlain(version)) {
        continue;
      }
      Bytes family = Bytes.wrap(CellUtil.cloneFamily(cell));
      Optional<DoctorFinding> wrong =
          isTransactionCell(cell)
              ? examineTransaction(cell)
              : examineData(cell, transactions.getOrDefault(family, Set.of()));
      if (Timestamps.tick(version) >= bound) {
        suspects.add(
            new Suspect(table, Timestamps.tick(version), place(cell), stored(cell), wrong));
      } else {
        wrong.ifPresent(findings::add);
      }
    }
  }

  /**
   * @param transactions versions of the transaction cells of its row and family
   */
  private Optional<DoctorFinding> examineData(Cell cell, Set<Long> transactions) {
    long version = cell.getTimestamp();
    if (!Timestamps.needsTransactionCell(version)
        || transactions.contains(Timestamps.tick(version))) {
      return Optional.empty();
    }
    return Optional.of(
        finding(
            Ailment.VERSION_WITHOUT_TRANSACTION,
            cell,
            "version=" + version + " qualifier=" + Bytes.wrap(CellUtil.cloneQualifier(cell)),
            null));
  }

  private Optional<DoctorFinding> examineTransaction(Cell cell) {
    long start = cell.getTimestamp();
    TransactionCell stored;
    try {
      stored =
          TransactionCell.decode(
              cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    } catch (MalformedException e) {
      return Optional.of(
          finding(
              Ailment.UNDECODABLE_CELL,
              cell,
              "version=" + start + " bytes=" + cell.getValueLength() + " problem=" + e.getMessage(),
              null));
    }
    boolean pending = stored.state() == TransactionState.PENDING;
    boolean hidden = isRedacted && stored.leader().filter(RowExamination::isHidden).isPresent();
    if (pending && !hidden && stored.leader().filter(leader -> !leader.isLegal()).isPresent()) {
      return Optional.of(finding(Ailment.ILLEGAL_LEADER, cell, "version=" + start, null));
    }
    boolean isLong = cell.getValueLength() > RequestLimits.MAX_TRANSACTION_CELL_BYTES;
    if (isLong && !Timestamps.isCommittedAtBirth(start)) {
      String bytes = "version=" + start + " bytes=" + cell.getValueLength();
      findings.add(finding(Ailment.LONG_CELL, cell, bytes, null));
    }
    if (!Timestamps.isGlobal(start) || start >= oldBelow) {
      return Optional.empty();
    }
    RowFamily place =
        new RowFamily(
            table, Bytes.wrap(CellUtil.cloneRow(cell)), Bytes.wrap(CellUtil.cloneFamily(cell)));
    TransactionId id = new TransactionId(start, stored.leader().orElse(place));
    String since = "start=" + start + " began=" + Timestamps.toInstant(start);
    if (pending) {
      if (!stored.isLeader() && !hidden) {
        followers.add(new Follower(place, id));
      }
      String leader = hidden ? "not shown" : id.leader().toString();
      return Optional.of(finding(Ailment.OLD_INTENT, cell, since + " leader=" + leader, id));
    }
    if (stored.isLeader() && stored.state() == TransactionState.COMMITTED) {
      return Optional.of(
          finding(
              Ailment.UNFINISHED_LEADER,
              cell,
              since
                  + " followers="
                  + stored.followers().size()
                  + " listed="
                  + stored.followersComplete(),
              id));
    }
    return Optional.empty();
  }

  private DoctorFinding finding(
      Ailment ailment, Cell cell, String detail, @Nullable TransactionId id) {
    Bytes row = Bytes.wrap(CellUtil.cloneRow(cell));
    Bytes family = Bytes.wrap(CellUtil.cloneFamily(cell));
    return new DoctorFinding(
        ailment,
        table,
        place(cell),
        detail,
        Optional.ofNullable(id),
        id == null ? Optional.empty() : Optional.of(new RowFamily(table, row, family)),
        Optional.of(stored(cell)));
  }

  private DoctorFinding.Stored stored(Cell cell) {
    return new DoctorFinding.Stored(
        new RowFamily(
            table, Bytes.wrap(CellUtil.cloneRow(cell)), Bytes.wrap(CellUtil.cloneFamily(cell))),
        Bytes.wrap(CellUtil.cloneQualifier(cell)),
        cell.getTimestamp());
  }

  private static String place(Cell cell) {
    return Bytes.wrap(CellUtil.cloneRow(cell)) + "/" + Bytes.wrap(CellUtil.cloneFamily(cell));
  }

  /** Returns true for a leader that the region server does not name. */
  static boolean isHidden(RowFamily leader) {
    return leader.table().isEmpty()
        && leader.family().isEmpty()
        && leader.row().length() == Tag.BYTES;
  }

  private static boolean isTransactionCell(Cell cell) {
    return CellUtil.matchingQualifier(cell, Reserved.TRANSACTION.toArray());
  }
}
