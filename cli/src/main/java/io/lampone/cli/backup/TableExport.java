package io.lampone.cli.backup;

import io.lampone.cli.backup.BackupFolder.StorageException;
import io.lampone.cli.backup.Manifest.Part;
import io.lampone.cli.backup.Manifest.TableEntry;
import io.lampone.cli.backup.PartFormat.Totals;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionClient;
import io.lampone.client.TransactionOptions;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * Exports tables at one snapshot, region by region. Ordinary transactions at that snapshot read the
 * rows: a snapshot that has become too old is refused instead of returning wrong data, and regions
 * may move, split or merge meanwhile.
 */
public final class TableExport {

  /** Duration of one read transaction; the next one continues at the next row. */
  private static final long PAGE_SECONDS = 20;

  /**
   * Options of the snapshot. A page ends at a row that the snapshot shows. A region may show none
   * for hours, or one row may take as long; each request has its own timeout, and the hold protects
   * the snapshot.
   */
  private static final TransactionOptions LASTING =
      TransactionOptions.DEFAULT.withTimeout(Duration.ofHours(12));

  /** Cells of a row that are fetched at a time. */
  private static final int CELLS_PER_RESULT = 1_000;

  private final TransactionClient client;
  private final Connection connection;
  private final ExportPlanner planner;
  private final Clock clock;
  private final Workers workers;
  private final BackupListener listener;
  private final Optional<BackupKey> key;

  /**
   * @param client connected so that it receives tags ({@link io.lampone.hbase.CellLifetimes}); else
   *     values lose their TTL
   * @param key signs the backup; empty for one that is not signed
   */
  public TableExport(
      TransactionClient client,
      Connection connection,
      Clock clock,
      int threads,
      BackupListener listener,
      Optional<BackupKey> key) {
    this.client = client;
    this.connection = connection;
    this.planner = new ExportPlanner(connection);
    this.clock = clock;
    this.workers = new Workers(threads);
    this.listener = listener;
    this.key = key;
  }

  private BackupFolder folder(String path) throws IOException {
    return BackupFolder.of(path, connection.getConfiguration(), key);
  }

  /**
   * Checks that tables can be exported at a snapshot.
   *
   * @throws IOException if one is missing, plain, being changed, or became transactional later
   */
  public void check(List<TableName> tables, long timestamp) throws IOException {
    planner.check(tables, timestamp);
  }

  /** Returns true if all of some tables may keep a snapshot longer than the cluster does. */
  public boolean mayKeep(List<TableName> tables, long timestamp) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (TableName table : tables) {
        TableDescriptor present = admin.getDescriptor(table);
        if (!TableRetention.keepsLonger(present)
            || timestamp < TableRetention.of(present).oldest()) {
          return false;
        }
      }
      return true;
    } catch (TableNotFoundException e) {
      return false;
    }
  }

  /**
   * Writes a backup into an empty folder.
   *
   * @param timestamp of the snapshot
   */
  public BackupSummary export(List<TableName> tables, long timestamp, String folder)
      throws IOException {
    BackupFolder target = folder(folder);
    if (target.backup().isPresent()) {
      throw new BackupException(
          "there is a complete backup in this folder, folder=" + target, "choose another folder");
    }
    Optional<Manifest> plan = target.plan();
    if (plan.isPresent()) {
      throw new BackupException(
          "there is an unfinished backup in this folder, folder="
              + target
              + " timestamp="
              + plan.get().timestamp(),
          "--resume goes on with it; or choose another folder");
    }
    if (!target.isEmpty()) {
      throw new BackupException("the folder is not empty, folder=" + target, "choose another");
    }
    Manifest planned = planner.plan(tables, timestamp, encrypts());
    target.writePlan(planned);
    return write(planned, target);
  }

  /** Returns the backup in a folder; empty if it is incomplete. Needs no cluster. */
  public static Optional<BackupSummary> complete(
      String folder, Configuration configuration, Optional<BackupKey> key) throws IOException {
    return BackupFolder.of(folder, configuration, key).backup().map(BackupSummary::of);
  }

  /** Returns true if the backup in a folder is complete. */
  public boolean isComplete(String folder) throws IOException {
    return complete(folder, connection.getConfiguration(), key).isPresent();
  }

  /** Returns the plan of an unfinished backup. */
  public BackupSummary unfinished(String folder) throws IOException {
    return BackupSummary.of(requirePlan(folder(folder)));
  }

  /** Resumes an unfinished backup; does nothing if it is complete. */
  public BackupSummary resume(String folder) throws IOException {
    BackupFolder target = folder(folder);
    Optional<Manifest> complete = target.backup();
    if (complete.isPresent()) {
      return BackupSummary.of(complete.get());
    }
    Manifest plan = requirePlan(target);
    if (encrypts() && !plan.encrypted()) {
      throw new BackupException(
          "the unfinished backup is not encrypted, folder=" + target,
          "leave --encrypt out, or begin a new backup in another folder");
    }
    planner.check(plan);
    return write(plan, target.of(plan));
  }

  private boolean encrypts() {
    return key.filter(BackupKey::encrypts).isPresent();
  }

  /**
   * Returns true if all data of an unfinished backup has been read: it needs its snapshot no more.
   */
  public boolean isRead(String folder) throws IOException {
    BackupFolder target = folder(folder);
    for (TableEntry table : requirePlan(target).tables()) {
      for (Part part : table.parts()) {
        if (!target.hasPart(table.folder(), part.file())) {
          return false;
        }
      }
    }
    return true;
  }

  private static Manifest requirePlan(BackupFolder target) throws IOException {
    return target
        .plan()
        .orElseThrow(
            () ->
                new BackupException(
                    "there is no unfinished backup in this folder, folder=" + target,
                    "give the command without --resume"));
  }

  /** Progress of all threads. */
  private final class Tally {
    private final long parts;
    private final AtomicLong partsDone = new AtomicLong();
    private final AtomicLong rowsDone = new AtomicLong();
    private final AtomicLong bytesDone = new AtomicLong();

    Tally(Manifest plan) {
      parts = plan.tables().stream().mapToLong(table -> table.parts().size()).sum();
    }

    void add(long done, long rows, long bytes) {
      listener.progress(
          "Exporting",
          partsDone.addAndGet(done),
          parts,
          rowsDone.addAndGet(rows),
          bytesDone.addAndGet(bytes));
    }
  }

  /** Part in progress: its writer, and the reported progress. For one thread. */
  private static final class Writing {
    private final PartWriter writer;
    private final Tally tally;
    private long toldRows;
    private long toldBytes;

    Writing(PartWriter writer, Tally tally) {
      this.writer = writer;
      this.tally = tally;
    }

    /** Reports each new block to the tally. */
    void tell() {
      if (writer.bytes() > toldBytes) {
        tally.add(0, writer.rows() - toldRows, writer.bytes() - toldBytes);
        toldRows = writer.rows();
        toldBytes = writer.bytes();
      }
    }

    Totals end() throws IOException {
      Totals totals = writer.end();
      tally.add(1, totals.rows() - toldRows, totals.bytes() - toldBytes);
      return totals;
    }
  }

  private BackupSummary write(Manifest plan, BackupFolder target) throws IOException {
    Tally tally = new Tally(plan);
    List<Callable<Part>> tasks = new ArrayList<>();
    for (TableEntry table : plan.tables()) {
      for (Part part : table.parts()) {
        tasks.add(() -> part.with(part(plan, table, part, target, tally)));
      }
    }
    List<Part> written = workers.all(tasks);
    List<TableEntry> tables = new ArrayList<>();
    int next = 0;
    for (TableEntry table : plan.tables()) {
      tables.add(table.with(written.subList(next, next + table.parts().size())));
      next += table.parts().size();
    }
    // One that was plain meanwhile, or is another table by now, was not read at that snapshot.
    planner.check(plan);
    Manifest complete = plan.with(tables);
    target.writeBackup(complete);
    return BackupSummary.of(complete);
  }

  private Totals part(Manifest plan, TableEntry table, Part part, BackupFolder target, Tally tally)
      throws IOException {
    long timestamp = plan.timestamp();
    if (target.hasPart(table.folder(), part.file())) {
      Totals totals =
          target.readPart(plan.id(), table.folder(), part.file(), timestamp, cell -> {});
      tally.add(1, totals.rows(), totals.bytes());
      return totals;
    }
    return target.writePart(
        plan.id(),
        table.folder(),
        part.file(),
        out -> {
          PartWriter writer = new PartWriter(out, timestamp);
          Writing writing = new Writing(writer, tally);
          read(timestamp, table, part, writing);
          return writing.end();
        });
  }

  private void read(long timestamp, TableEntry table, Part part, Writing writing)
      throws IOException {
    Scan scan = new Scan().setCacheBlocks(false).setBatch(CELLS_PER_RESULT);
    scan.setAttribute(ReadRequest.COMPLETE_ATTRIBUTE, new byte[] {1});
    scan.readVersions(table.versions());
    scan.withStartRow(BackupFolder.bytes(part.start()).toArray());
    scan.withStopRow(BackupFolder.bytes(part.stop()).toArray());
    Optional<byte[]> next = Optional.of(scan.getStartRow());
    while (next.isPresent()) {
      scan.withStartRow(next.get());
      next = page(timestamp, TableName.valueOf(table.name()), scan, writing);
    }
  }

  /**
   * Reads for a while.
   *
   * @return the row at which to continue, if there is one
   */
  private Optional<byte[]> page(long timestamp, TableName name, Scan scan, Writing writing)
      throws IOException {
    long endNanos = clock.monotonicNanos() + TimeUnit.SECONDS.toNanos(PAGE_SECONDS);
    try (Transaction snapshot = client.asOf(timestamp, LASTING);
        Table table = snapshot.table(name);
        ResultScanner results = table.getScanner(new Scan(scan))) {
      for (Result result = results.next(); result != null; result = results.next()) {
        if (!writing.writer.isIn(result.getRow()) && clock.monotonicNanos() - endNanos > 0) {
          return Optional.of(result.getRow());
        }
        for (Cell cell : result.rawCells()) {
          write(writing.writer, cell);
        }
        writing.tell();
      }
      return Optional.empty();
    } catch (FileException e) {
      throw e.cause();
    } catch (SnapshotTooOldException e) {
      throw new StorageException(
          new BackupException(
              "the snapshot is too old: it is below the safe point, or from before the table was"
                  + " created, enabled, made plain or fenced, timestamp="
                  + timestamp
                  + " table="
                  + name,
              "what it showed may be gone, and this backup cannot be completed: begin a new one in"
                  + " another folder, and renew the hold ('lampone hold renew') while you wait",
              e));
    } catch (UncheckedIOException e) {
      throw new StorageException(Objects.requireNonNull(e.getCause()));
    } catch (IOException e) {
      throw new StorageException(e);
    }
  }

  private static void write(PartWriter writer, Cell cell) throws FileException {
    try {
      writer.write(cell);
    } catch (IOException e) {
      throw new FileException(e);
    }
  }

  /** A failure of the file, among those of the cluster. */
  private static final class FileException extends IOException {
    private static final long serialVersionUID = 1L;
    private final IOException cause;

    FileException(IOException cause) {
      super(cause);
      this.cause = cause;
    }

    IOException cause() {
      return cause;
    }
  }
}
