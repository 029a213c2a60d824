package io.lampone.cli.doctor;

import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.InspectionPass;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Examines tables while they are in use. Reads every stored cell, judges only cells too old to
 * belong to running transactions, and reports findings immediately.
 */
public final class Doctor {

  private static final int ROWS_PER_CALL = 100;

  private final Connection connection;
  private final Passes passes;
  private final Limits limits;
  private final Consumer<DoctorFinding> told;
  private final Suspects suspects;
  private final AbsentTables dropped;

  /** Unreadable tables that hold commit entries; each has been reported. */
  private final Set<String> unreadable = new HashSet<>();

  private Listener listener = (table, done, total, rows) -> {};
  private long rows;
  private long cells;

  /** Listener for progress. */
  @FunctionalInterface
  public interface Listener {

    /**
     * Called after each row.
     *
     * @param done regions of the table that are done
     * @param total regions of the table
     * @param rows of all tables so far
     */
    void progress(TableName table, long done, long total, long rows);
  }

  /** Upper bound of issued timestamps. */
  @FunctionalInterface
  public interface Bound {

    /** Returns a bound that is above every timestamp issued before the call. */
    long read() throws IOException, InterruptedException;
  }

  /** Passes for region servers, so that they show cells as they are stored. */
  public interface Passes {

    /**
     * Returns a value of {@link TableSettings#INSPECTION_ATTRIBUTE}; the same array until it is
     * time for another one.
     */
    byte[] current() throws IOException, InterruptedException;

    /** Returns true if there is no pass, so that a region server may hide leaders. */
    boolean isRedacted();
  }

  /** Passes for all users. */
  public static final Passes OPEN =
      new Passes() {
        private final byte[] none = InspectionPass.none();

        @Override
        public byte[] current() {
          return none;
        }

        @Override
        public boolean isRedacted() {
          return false;
        }
      };

  /**
   * Limits of the cells too young to judge and of the transactions not to be finished.
   *
   * @param oldBelow a transaction that began below it should have ended
   * @param floor the smallest start timestamp still admissible
   */
  public record Limits(long oldBelow, long floor) {}

  public Doctor(
      Connection connection,
      Passes passes,
      Bound bound,
      Limits limits,
      Consumer<DoctorFinding> told) {
    this.connection = connection;
    this.passes = passes;
    this.limits = limits;
    this.told = finding -> told.accept(withProof(finding));
    this.suspects = new Suspects(bound, this.told);
    this.dropped = new AbsentTables(connection);
  }

  /** Sets the receiver of progress reports. */
  public void reportTo(Listener hearing) {
    listener = hearing;
  }

  /** Returns the number of rows examined so far. */
  public long rows() {
    return rows;
  }

  /** Returns the number of cells examined so far. */
  public long cells() {
    return cells;
  }

  /** Examines a table. */
  public void examine(TableName table) throws IOException, InterruptedException {
    TableDescriptor descriptor;
    try (Admin admin = connection.getAdmin()) {
      descriptor = admin.getDescriptor(table);
    }
    Optional<TableSettings> settings;
    try {
      settings = TableSettings.of(descriptor);
    } catch (IllegalArgumentException e) {
      tell(Ailment.BROKEN_SETTINGS, table, "", firstLine(e));
      return;
    }
    if (settings.isEmpty()) {
      tell(Ailment.NOT_TRANSACTIONAL, table, "", "");
      return;
    }
    if (settings.get().phase() != TableSettings.Phase.ENABLED) {
      tell(Ailment.BEING_CHANGED, table, "", "phase=" + settings.get().phase());
    }
    new SchemaExamination(descriptor).findings().forEach(told);
    try {
      scan(table, descriptor);
    } catch (IOException e) {
      if (isDisabled(e)) {
        tell(Ailment.DISABLED_TABLE, table, "", "");
        return;
      }
      Optional<Refusal> refusal = RefusalException.in(e);
      if (refusal.isPresent() && refusal.get().code() == Refusal.Code.MISPLACED) {
        tell(Ailment.MISPLACED_COPROCESSOR, table, "", refusal.get().detail());
        return;
      }
      if (!lacksCoprocessor(e)) {
        throw e;
      }
      tell(Ailment.NO_COPROCESSOR, table, "", "answer=" + firstLine(e));
    }
  }

  private void scan(TableName name, TableDescriptor descriptor)
      throws IOException, InterruptedException {
    Scan scan = new Scan().readAllVersions().setCacheBlocks(false).setCaching(ROWS_PER_CALL);
    for (byte[] family : descriptor.getColumnFamilyNames()) {
      scan.addFamily(family);
    }
    // A region without the coprocessor has no such family; the coprocessor removes it from the
    // scan.
    scan.addFamily(Reserved.PROOF_FAMILY.toArray());
    try (Table table = connection.getTable(name);
        RegionLocator locator = connection.getRegionLocator(name)) {
      byte[][] starts = locator.getStartKeys();
      Optional<byte[]> last = scan(table, scan, starts);
      while (last.isPresent()) {
        last = scan(table, scan.withStartRow(last.get(), false), starts);
      }
      listener.progress(name, starts.length, starts.length, rows);
    }
    suspects.judge();
  }

  /** Examines rows until a new pass is due, and returns the last row; empty at the end. */
  private Optional<byte[]> scan(Table table, Scan scan, byte[][] starts)
      throws IOException, InterruptedException {
    byte[] pass = passes.current();
    scan.setAttribute(TableSettings.INSPECTION_ATTRIBUTE, pass);
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result row = scanner.next(); row != null; row = scanner.next()) {
        examine(table.getName().getNameAsString(), row);
        int region = Arrays.binarySearch(starts, row.getRow(), Bytes.BYTES_COMPARATOR);
        listener.progress(table.getName(), region < 0 ? -region - 2 : region, starts.length, rows);
        if (passes.current() != pass) {
          return Optional.of(row.getRow());
        }
      }
    }
    return Optional.empty();
  }

  private void examine(String table, Result row) throws IOException, InterruptedException {
    rows++;
    cells += row.rawCells().length;
    RowExamination examination =
        new RowExamination(table, suspects.bound(), limits.oldBelow(), passes.isRedacted());
    examination.examine(row.rawCells());
    examination.findings().forEach(told);
    for (RowExamination.Suspect suspect : examination.suspects()) {
      suspects.add(suspect);
    }
    for (RowExamination.Follower follower : examination.followers()) {
      Optional<String> missing = missingLeader(table, follower.id());
      if (missing.isPresent()) {
        told.accept(
            new DoctorFinding(
                Ailment.FOLLOWER_WITHOUT_LEADER,
                table,
                follower.place().row() + "/" + follower.place().family(),
                "leader=" + follower.id().leader() + " problem=" + missing.get(),
                Optional.of(follower.id()),
                Optional.of(follower.place())));
      }
    }
  }

  /**
   * Returns {@code finding}, or one of an unproved leader, which only the leader's server can
   * detect.
   */
  private DoctorFinding withProof(DoctorFinding finding) {
    if (finding.ailment() != Ailment.UNFINISHED_LEADER || finding.transaction().isEmpty()) {
      return finding;
    }
    try {
      readLeader(finding.transaction().get());
      return finding;
    } catch (IOException e) {
      if (!isCorrupt(e)) {
        return finding; // it is there, whatever else is wrong
      }
      return finding.as(Ailment.UNPROVED_LEADER);
    }
  }

  private Outcome readLeader(TransactionId id) throws IOException {
    RowFamily leader = id.leader();
    LeaderReadRequest request =
        new LeaderReadRequest(id.startTimestamp(), limits.floor(), leader.family());
    try (Table table = connection.getTable(TableName.valueOf(leader.table()))) {
      return Carrier.reply(table.get(Carrier.leaderGet(leader.row(), request))).outcomes().get(0);
    }
  }

  /** Returns the reason why the commit entry is absent, if it is known to be absent. */
  private Optional<String> missingLeader(String examined, TransactionId id) throws IOException {
    RowFamily leader = id.leader();
    if (unreadable.contains(leader.table())) {
      return Optional.empty();
    }
    if (dropped.contains(leader.table())) {
      return Optional.of("its table was dropped, or made plain");
    }
    try {
      return readLeader(id).state().isEmpty() ? Optional.of("absent") : Optional.empty();
    } catch (TableNotFoundException e) {
      return Optional.of("no such table");
    } catch (NoSuchColumnFamilyException e) {
      return Optional.of("no such family");
    } catch (MalformedException e) {
      tellUnreadable(Ailment.NO_COPROCESSOR, id);
      return Optional.empty();
    } catch (IOException e) {
      if (isCorrupt(e)) {
        if (!leader.table().equals(examined)) { // else it is found itself
          tell(
              Ailment.UNPROVED_LEADER,
              TableName.valueOf(leader.table()),
              leader.row() + "/" + leader.family(),
              "start=" + id.startTimestamp());
        }
        return Optional.empty();
      }
      if (!isDisabled(e)) {
        throw e;
      }
      tellUnreadable(Ailment.DISABLED_TABLE, id);
      return Optional.empty();
    }
  }

  /** Reports the table once for all of its intents: each attempt takes HBase's client long. */
  private void tellUnreadable(Ailment why, TransactionId id) {
    unreadable.add(id.leader().table());
    tell(
        why,
        TableName.valueOf(id.leader().table()),
        "",
        "commit entries, startTimestamp=" + id.startTimestamp());
  }

  private void tell(Ailment ailment, TableName table, String place, String detail) {
    told.accept(new DoctorFinding(ailment, table.getNameAsString(), place, detail));
  }

  private static boolean isCorrupt(IOException failure) {
    return RefusalException.in(failure)
        .filter(refusal -> refusal.code() == Refusal.Code.CORRUPT)
        .isPresent();
  }

  private static boolean isDisabled(Throwable failure) {
    return causes(failure).anyMatch(TableNotEnabledException.class::isInstance);
  }

  private static boolean lacksCoprocessor(Throwable failure) {
    return causes(failure)
        .filter(NoSuchColumnFamilyException.class::isInstance)
        .anyMatch(
            link -> String.valueOf(link.getMessage()).contains(Reserved.PROOF_FAMILY.toUtf8()));
  }

  /** Returns the failure and its causes. */
  private static Stream<Throwable> causes(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
  }

  private static String firstLine(Throwable failure) {
    return String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
  }
}
