package io.lampone.cli.backup;

import io.lampone.cli.backup.Manifest.Part;
import io.lampone.cli.backup.Manifest.TableEntry;
import io.lampone.cli.backup.PartFormat.Totals;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** Complete backup in its folder. Every read verifies it. Needs no cluster. */
public final class StoredBackup {

  private final BackupFolder folder;
  private final Manifest manifest;
  private final BackupListener listener;

  private StoredBackup(BackupFolder folder, Manifest manifest, BackupListener listener) {
    this.folder = folder;
    this.manifest = manifest;
    this.listener = listener;
  }

  /**
   * Opens the backup of a folder, without reading its parts.
   *
   * @param configuration configuration of Hadoop's file systems
   * @param key key of its signature; empty if it is unsigned
   * @throws BackupException if there is none, or an incomplete one
   */
  public static StoredBackup open(
      String folder, Configuration configuration, Optional<BackupKey> key, BackupListener hears)
      throws IOException {
    BackupFolder source = BackupFolder.of(folder, configuration, key);
    if (source.backup().isEmpty() && source.plan().isPresent()) {
      throw new BackupException(
          "the backup is not complete, folder=" + source,
          "finish it with 'lampone export --resume', or restore another one");
    }
    Manifest manifest =
        source
            .backup()
            .orElseThrow(
                () ->
                    new BackupException(
                        "there is no backup in this folder, folder=" + source,
                        "give the folder that 'lampone export' has written: backup.json lies in"
                            + " it"));
    return new StoredBackup(source.of(manifest), manifest, hears);
  }

  /**
   * Fails unless it is the backup with this id: an older one is signed with the same key.
   *
   * @throws BackupException if it has another id
   */
  public void requireId(String expected) throws BackupException {
    if (!manifest.id().equals(expected)) {
      throw new BackupException(
          "this is another backup, id=" + manifest.id() + " expected=" + expected,
          "give the folder of the expected one, or the id that 'lampone export' has printed for"
              + " this one");
    }
  }

  /** Reads and verifies every byte, and returns a summary of the content. */
  public BackupSummary verify(int threads) throws IOException {
    verify(new Workers(threads));
    return BackupSummary.of(manifest);
  }

  void verify(Workers workers) throws IOException {
    Counted counted = counted("Checking");
    List<Callable<Totals>> tasks = new ArrayList<>();
    for (TableEntry table : manifest.tables()) {
      Ranges.requireWhole(table);
      for (Part part : table.parts()) {
        tasks.add(() -> read(table, part, counted, cell -> {}));
      }
    }
    workers.all(tasks);
  }

  Manifest manifest() {
    return manifest;
  }

  /** Progress of one phase, counted over several threads. */
  final class Counted {
    private final String what;
    private final long parts;
    private final AtomicLong partsDone = new AtomicLong();
    private final AtomicLong rowsDone = new AtomicLong();
    private final AtomicLong bytesDone = new AtomicLong();

    private Counted(String what) {
      this.what = what;
      this.parts = manifest.tables().stream().mapToLong(table -> table.parts().size()).sum();
    }

    private void add(Totals totals) {
      listener.progress(
          what,
          partsDone.incrementAndGet(),
          parts,
          rowsDone.addAndGet(totals.rows()),
          bytesDone.addAndGet(totals.bytes()));
    }
  }

  /** A new count. */
  Counted counted(String what) {
    return new Counted(what);
  }

  /**
   * Reads a part and checks it.
   *
   * @throws BackupException if it is missing or differs from the written file
   */
  Totals read(TableEntry table, Part part, Counted counted, PartReader.Work work)
      throws IOException {
    TableDescriptor descriptor = ExportPlanner.descriptor(table);
    Totals totals =
        folder.readPart(
            manifest.id(),
            table.folder(),
            part.file(),
            manifest.timestamp(),
            cell -> {
              requireInside(table, descriptor, part, cell);
              work.on(cell);
            });
    if (!totals.equals(part.totals())) {
      throw PartReader.damaged(
          table.folder() + "/" + part.file(),
          "it is not the one that backup.json speaks of, found="
              + totals
              + " expected="
              + part.totals());
    }
    counted.add(totals);
    return totals;
  }

  /**
   * Fails for a cell outside its part, table or snapshot: a correct checksum does not prove a
   * correct writer.
   */
  private void requireInside(TableEntry table, TableDescriptor descriptor, Part part, Cell cell)
      throws BackupException {
    Bytes row = Bytes.wrap(CellUtil.cloneRow(cell));
    Bytes stop = BackupFolder.bytes(part.stop());
    boolean inRange =
        row.length() > 0
            && row.compareTo(BackupFolder.bytes(part.start())) >= 0
            && (stop.length() == 0 || row.compareTo(stop) < 0);
    boolean inTable =
        descriptor.hasColumnFamily(CellUtil.cloneFamily(cell))
            && !Reserved.isReserved(Bytes.wrap(CellUtil.cloneQualifier(cell)));
    long version = cell.getTimestamp();
    boolean inSnapshot =
        version >= 0 && version < manifest.timestamp() && Timestamps.isCommittedAtBirth(version);
    if (!inRange || !inTable || !inSnapshot) {
      throw PartReader.damaged(
          table.folder() + "/" + part.file(),
          "a cell that cannot be in it, row="
              + row
              + " family="
              + Bytes.wrap(CellUtil.cloneFamily(cell))
              + " version="
              + version);
    }
  }
}
