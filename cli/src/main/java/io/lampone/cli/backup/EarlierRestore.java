package io.lampone.cli.backup;

import io.lampone.cli.backup.TableRestore.Target;
import io.lampone.hbase.TableSettings;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Progress of an interrupted restore, from the descriptors of its tables.
 *
 * <pre>
 *   absent --create--> filling --all are filled--> full --all are marked--> opening --> open
 * </pre>
 */
final class EarlierRestore {

  private static final Set<Progress> LEFT = Set.of(Progress.OPENING, Progress.OPEN);

  /** Changing a descriptor reopens every region. */
  private static final long MARKING_MINUTES = 60;

  private final Connection connection;
  private final Manifest backup;

  EarlierRestore(Connection connection, Manifest backup) {
    this.connection = connection;
    this.backup = backup;
  }

  /** Progress of an earlier restore with a table. */
  private enum Progress {
    ABSENT,
    /** Plain, being filled. */
    FILLING,
    /** Plain; complete. */
    FULL,
    /** Being opened; all tables of the restore are full. */
    OPENING,
    OPEN
  }

  /**
   * Refuses existing tables, except those of an interrupted restore of this backup.
   *
   * @return true if that restore had filled all tables
   */
  boolean hasFilled(List<Target> targets) throws IOException {
    Map<Target, Progress> progress = new LinkedHashMap<>();
    try (Admin admin = connection.getAdmin()) {
      for (Target target : targets) {
        progress.put(target, progress(admin, target));
      }
    }
    Collection<Progress> all = progress.values();
    if (all.stream().allMatch(Progress.OPEN::equals)) {
      throw existing(targets.get(0));
    }
    if (!all.contains(Progress.ABSENT) && !all.contains(Progress.FILLING)) {
      return true;
    }
    // Not the tables restored together with such a table: those have other names.
    if (all.stream().anyMatch(LEFT::contains)) {
      throw left(progress);
    }
    return false;
  }

  private Progress progress(Admin admin, Target target) throws IOException {
    if (!admin.tableExists(target.name())) {
      return Progress.ABSENT;
    }
    TableDescriptor present = admin.getDescriptor(target.name());
    if (!target.table().name().equals(present.getValue(TableSettings.RESTORED_TABLE_KEY))) {
      throw existing(target);
    }
    boolean transactional = present.getValue(TableSettings.PHASE_KEY) != null;
    if (backup.id().equals(present.getValue(TableSettings.RESTORING_KEY))) {
      if (transactional) {
        return Progress.OPENING;
      }
      return isFilling(backup, present) ? Progress.FILLING : Progress.FULL;
    }
    if (transactional && backup.id().equals(present.getValue(TableSettings.RESTORED_KEY))) {
      return Progress.OPEN;
    }
    throw existing(target);
  }

  /** Returns true if the table is plain, and its part of the backup may be incomplete. */
  static boolean isFilling(Manifest backup, TableDescriptor table) {
    return backup.id().equals(table.getValue(TableSettings.RESTORING_KEY))
        && table.getValue(TableSettings.RESTORING_FULL_KEY) == null
        && table.getValue(TableSettings.PHASE_KEY) == null;
  }

  private static BackupException left(Map<Target, Progress> progress) {
    List<TableName> left = names(progress, LEFT);
    List<TableName> absent = names(progress, Set.of(Progress.ABSENT));
    List<TableName> filling = names(progress, Set.of(Progress.FILLING));
    return new BackupException(
        left
            + " is left from an earlier restore of this backup"
            + (absent.isEmpty() ? "" : ", and " + absent + " is gone")
            + (filling.isEmpty() ? "" : ", and " + filling + " is not full"),
        "tables of one backup are filled together: drop " + left + ", or use --rename");
  }

  private static List<TableName> names(Map<Target, Progress> progress, Set<Progress> which) {
    return progress.entrySet().stream()
        .filter(each -> which.contains(each.getValue()))
        .map(each -> each.getKey().name())
        .toList();
  }

  /**
   * Marks tables as full. Without the mark, a table that a later restore has begun to fill could
   * not be distinguished from one filled together with the tables already opened.
   */
  void markFull(List<Target> targets) throws BackupException {
    try (Admin admin = connection.getAdmin()) {
      List<Future<Void>> marking = new ArrayList<>();
      for (Target target : targets) {
        TableDescriptor present = admin.getDescriptor(target.name());
        if (isFilling(backup, present)) {
          marking.add(
              admin.modifyTableAsync(
                  TableDescriptorBuilder.newBuilder(present)
                      .setValue(TableSettings.RESTORING_FULL_KEY, Boolean.toString(true))
                      .build()));
        }
      }
      for (Future<Void> each : marking) {
        each.get(MARKING_MINUTES, TimeUnit.MINUTES);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notMarked(new InterruptedIOException("interrupted"));
    } catch (IOException | ExecutionException | TimeoutException | RuntimeException e) {
      throw notMarked(e);
    }
  }

  private static BackupException notMarked(Exception failure) {
    return new BackupException(
        "the tables are full, and that could not be noted: " + failure.getMessage(),
        "give the same command again: it writes the same into them once more, and opens them",
        failure);
  }

  private static BackupException existing(Target target) {
    return new BackupException(
        "the table exists already, table=" + target.name(),
        "a backup is restored into new tables only: --rename "
            + target.table().name()
            + "=NEWNAME");
  }
}
