package io.lampone.cli.backup;

import io.lampone.cli.backup.BackupFolder.StorageException;
import io.lampone.cli.backup.Manifest.Part;
import io.lampone.cli.backup.Manifest.TableEntry;
import io.lampone.client.LamponeClient;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.Transaction;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Writes tables as one snapshot shows them, region by region. What is read is read by transactions
 * at that snapshot like any other: so a snapshot that has become too old is refused and not wrong,
 * and a region may move, split or merge meanwhile.
 */
public final class TableExport {

  /** A transaction lives a minute; one reads for so long, then the next one goes on. */
  private static final long PAGE_SECONDS = 20;

  /** Cells of a row that are fetched at a time. */
  private static final int CELLS_PER_RESULT = 1_000;

  private final LamponeClient client;
  private final Connection connection;
  private final Clock clock;
  private final Workers workers;
  private final BackupListener listener;

  private final AtomicLong partsDone = new AtomicLong();
  private final AtomicLong rowsDone = new AtomicLong();
  private final AtomicLong bytesDone = new AtomicLong();

  public TableExport(
      LamponeClient client,
      Connection connection,
      Clock clock,
      int threads,
      BackupListener listener) {
    this.client = client;
    this.connection = connection;
    this.clock = clock;
    this.workers = new Workers(threads);
    this.listener = listener;
  }

  /**
   * Says that tables can be exported at a snapshot.
   *
   * @throws IOException if one is missing, plain, being changed, or became transactional later
   */
  public void check(List<TableName> tables, long timestamp) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (TableName table : tables) {
        check(admin.getDescriptor(table), timestamp);
      }
    }
  }

  private static TableSettings check(TableDescriptor table, long timestamp) throws IOException {
    Optional<TableSettings> settings = TableSettings.of(table);
    if (settings.isEmpty()) {
      throw new BackupException(
          "the table is not transactional, so no snapshot shows it, table=" + table.getTableName(),
          "'lampone table list' shows which are; plain tables are copied by HBase's own tools");
    }
    if (settings.get().phase() != TableSettings.Phase.ENABLED) {
      throw new BackupException(
          "the table is being enabled or disabled, table=" + table.getTableName(),
          "wait until that command has ended; if it was interrupted, give it again");
    }
    if (settings.get().floor() > timestamp) {
      throw new BackupException(
          "the table became transactional after this snapshot, table="
              + table.getTableName()
              + " timestamp="
              + timestamp
              + " since="
              + settings.get().floor(),
          "take a new snapshot, or leave the table out");
    }
    return settings.get();
  }

  /**
   * Writes a backup into an empty folder.
   *
   * @param timestamp of the snapshot
   */
  public BackupSummary export(List<TableName> tables, long timestamp, String folder)
      throws IOException {
    BackupFolder target = BackupFolder.of(folder, connection.getConfiguration());
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
    Manifest planned = plan(tables, timestamp);
    target.writePlan(planned);
    return write(planned, target);
  }

  /** The plan of an unfinished backup. */
  public BackupSummary unfinished(String folder) throws IOException {
    return BackupSummary.of(requirePlan(BackupFolder.of(folder, connection.getConfiguration())));
  }

  /** Goes on with an unfinished backup; does nothing if it is complete. */
  public BackupSummary resume(String folder) throws IOException {
    BackupFolder target = BackupFolder.of(folder, connection.getConfiguration());
    Optional<Manifest> complete = target.backup();
    return complete.isPresent()
        ? BackupSummary.of(complete.get())
        : write(requirePlan(target), target);
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

  private Manifest plan(List<TableName> tables, long timestamp) throws IOException {
    List<TableEntry> entries = new ArrayList<>();
    try (Admin admin = connection.getAdmin()) {
      for (TableName name : tables) {
        TableDescriptor descriptor = admin.getDescriptor(name);
        TableSettings settings = check(descriptor, timestamp);
        TableRetention retention = TableRetention.of(descriptor);
        int versions = retention.versions().values().stream().reduce(1, Math::max);
        List<Part> parts = new ArrayList<>();
        for (RegionInfo region : admin.getRegions(name)) {
          parts.add(
              new Part(
                  String.format("part-%05d", parts.size()),
                  BackupFolder.text(region.getStartKey()),
                  BackupFolder.text(region.getEndKey()),
                  0,
                  0,
                  0,
                  0));
        }
        entries.add(
            new TableEntry(
                name.getNameAsString(),
                settings.level().name(),
                name.getNameAsString().replace(':', '='),
                BackupFolder.text(TableDescriptorBuilder.toByteArray(descriptor)),
                versions,
                parts));
      }
    }
    return new Manifest(Manifest.FORMAT, UUID.randomUUID().toString(), timestamp, entries);
  }

  private BackupSummary write(Manifest plan, BackupFolder target) throws IOException {
    List<Callable<Part>> tasks = new ArrayList<>();
    for (TableEntry table : plan.tables()) {
      for (Part part : table.parts()) {
        tasks.add(() -> part(plan, table, part, target));
      }
    }
    List<Part> written = workers.all(tasks);
    List<TableEntry> tables = new ArrayList<>();
    int next = 0;
    for (TableEntry table : plan.tables()) {
      tables.add(table.with(written.subList(next, next + table.parts().size())));
      next += table.parts().size();
    }
    Manifest complete = plan.with(tables);
    target.writeBackup(complete);
    return BackupSummary.of(complete);
  }

  private Part part(Manifest plan, TableEntry table, Part part, BackupFolder target)
      throws IOException {
    Totals totals =
        target.hasPart(table.folder(), part.file())
            ? target.readPart(table.folder(), part.file(), plan.timestamp(), cell -> {})
            : target.writePart(
                table.folder(),
                part.file(),
                out -> {
                  PartWriter writer =
                      new PartWriter(
                          new java.io.BufferedOutputStream(out, 1 << 16), plan.timestamp());
                  read(plan.timestamp(), table, part, writer);
                  return writer.end();
                });
    long parts = plan.tables().stream().mapToLong(each -> each.parts().size()).sum();
    listener.progress(
        "Exporting",
        partsDone.incrementAndGet(),
        parts,
        rowsDone.addAndGet(totals.rows()),
        bytesDone.addAndGet(totals.bytes()));
    return part.with(totals);
  }

  private void read(long timestamp, TableEntry table, Part part, PartWriter writer)
      throws IOException {
    Scan scan = new Scan().setCacheBlocks(false).setBatch(CELLS_PER_RESULT);
    scan.readVersions(table.versions());
    scan.withStartRow(BackupFolder.bytes(part.start()).toArray());
    scan.withStopRow(BackupFolder.bytes(part.stop()).toArray());
    Optional<byte[]> next = Optional.of(scan.getStartRow());
    while (next.isPresent()) {
      next =
          page(timestamp, TableName.valueOf(table.name()), scan.withStartRow(next.get()), writer);
    }
  }

  /**
   * Reads for a while.
   *
   * @return the row at which to go on, if there is one
   */
  private Optional<byte[]> page(long timestamp, TableName name, Scan scan, PartWriter writer)
      throws IOException {
    long endNanos = clock.monotonicNanos() + TimeUnit.SECONDS.toNanos(PAGE_SECONDS);
    try (Transaction snapshot = client.asOf(timestamp);
        Table table = snapshot.table(name);
        ResultScanner results = table.getScanner(new Scan(scan))) {
      for (Result result = results.next(); result != null; result = results.next()) {
        if (!writer.isIn(result.getRow()) && clock.monotonicNanos() - endNanos > 0) {
          return Optional.of(result.getRow());
        }
        for (Cell cell : result.rawCells()) {
          write(writer, cell);
        }
      }
      return Optional.empty();
    } catch (FileException e) {
      throw e.cause();
    } catch (SnapshotTooOldException e) {
      throw new StorageException(
          new BackupException(
              "the snapshot has become too old: it is below the safe point, timestamp="
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
