package io.lampone.hbase;

import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import java.util.Optional;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Settings that make a table transactional: values in its HBase descriptor.
 *
 * @param phase whether transactions may write
 * @param level what two transactions must both write to be in conflict
 * @param floor start timestamps below it may not write here: they began before the table was
 *     enabled at this level
 * @param fastPath whether fast-path operations and one-region commits may write
 * @param plainClients what becomes of operations of plain HBase clients
 */
public record TableSettings(
    Phase phase, ConflictLevel level, long floor, boolean fastPath, PlainClients plainClients) {

  /** Class name of the region observer. */
  public static final String COPROCESSOR = "io.lampone.coprocessor.TransactionObserver";

  /** Priority of the observer: behind all others, so that each of them is asked before it. */
  public static final int COPROCESSOR_PRIORITY = Integer.MAX_VALUE;

  /** Prefix of our descriptor values. */
  static final String KEY_PREFIX = "lampone.";

  /** Attribute of a Get that asks what the table says of itself; its value is a version. */
  public static final String DESCRIBE_ATTRIBUTE = "lampone.describe";

  /** Descriptor value that holds the phase; its absence means that the table is a plain one. */
  public static final String PHASE_KEY = "lampone.phase";

  /** Descriptor value that holds the conflict level. */
  public static final String LEVEL_KEY = "lampone.level";

  /** Descriptor value that holds the table's own floor. */
  public static final String FLOOR_KEY = "lampone.floor";

  /** Descriptor value "false": the fast path is switched off; its absence means "true". */
  public static final String FAST_PATH_KEY = "lampone.fast-path";

  /** Descriptor value that holds what plain clients may do; its absence means {@code REFUSED}. */
  public static final String PLAIN_CLIENTS_KEY = "lampone.plain-clients";

  /**
   * Descriptor value of a table that is being enabled and has never been transactional: its
   * versions have yet to be looked at with the observer in place.
   */
  public static final String UNCHECKED_KEY = "lampone.unchecked";

  /**
   * Descriptor value that names the backup from which a table is being filled; until it is gone the
   * table is a plain one, and what it holds is not complete.
   */
  public static final String RESTORING_KEY = "lampone.restoring";

  /** Descriptor value of a table that is being restored and lacks nothing of its backup. */
  public static final String RESTORING_FULL_KEY = "lampone.restoring.full";

  /** Descriptor value that names the backup from which a table was made. */
  public static final String RESTORED_KEY = "lampone.restored";

  /**
   * Descriptor value that holds what a table is called in the backup from which it is filled, or
   * was.
   */
  public static final String RESTORED_TABLE_KEY = "lampone.restored.table";

  /**
   * HBase's own: whether a store deletes whole files whose newest version is older than the TTL of
   * its family, which no hook can keep it from. A transactional table has no such TTL, until
   * somebody sets one; then the versions of plain clients from before would be gone.
   */
  public static final String DELETE_EXPIRED_FILES_KEY = "hbase.store.delete.expired.storefile";

  /** Descriptor value that holds what the table said of it as a plain one, if it said anything. */
  public static final String PLAIN_DELETE_EXPIRED_FILES_KEY = "lampone.plain.delete.expired";

  /**
   * Attribute by which the administrator's plain operations pass the observer, and only in phase
   * CHANGING: Get, Scan, Put and Delete that carry it, with whatever value, are left to HBase.
   */
  public static final String MAINTENANCE_ATTRIBUTE = "lampone.maintenance";

  /**
   * Attribute of a Scan that looks at cells as they are stored, under every snapshot: for tools
   * that look for faults. Its value is an {@link io.lampone.protocol.trust.InspectionPass}, or
   * none: then values are empty, and neither leaders in other tables nor followers are named. What
   * HBase's own access control forbids remains forbidden.
   */
  public static final String INSPECTION_ATTRIBUTE = "lampone.inspection";

  /** Permission of transactions to write. */
  public enum Phase {
    /** Everything is allowed. */
    ENABLED,
    /** Being enabled or disabled: reads and the end of running transactions only. */
    CHANGING
  }

  /** Treatment of operations of plain HBase clients. */
  public enum PlainClients {
    /** They fail. */
    REFUSED,
    /** Each is a transaction of its own on the fast path. */
    FAST_PATH,
    /**
     * Reads are answered, each by itself, and what coprocessors write in the region itself is
     * carried out on the fast path; what clients write fails. For the statements that Apache
     * Phoenix sends without a transaction.
     */
    PHOENIX
  }

  /** Settings of a table that Apache Phoenix creates. */
  public static TableSettings ofPhoenix(long floor) {
    return new TableSettings(Phase.ENABLED, ConflictLevel.ROW, floor, true, PlainClients.PHOENIX);
  }

  /** Settings with the fast path on, and plain clients refused. */
  public TableSettings(Phase phase, ConflictLevel level, long floor) {
    this(phase, level, floor, true, PlainClients.REFUSED);
  }

  /** The same settings in another phase. */
  public TableSettings in(Phase newPhase) {
    return new TableSettings(newPhase, level, floor, fastPath, plainClients);
  }

  /**
   * The settings of a table; empty if it is a plain one.
   *
   * @throws IllegalArgumentException if the values cannot be read
   */
  public static Optional<TableSettings> of(TableDescriptor table) {
    String phase = table.getValue(PHASE_KEY);
    if (phase == null) {
      return Optional.empty();
    }
    String level = table.getValue(LEVEL_KEY);
    String floor = table.getValue(FLOOR_KEY);
    if (level == null || floor == null) {
      throw new IllegalArgumentException(
          "table descriptor lacks a value, table=" + table.getTableName() + " key=" + LEVEL_KEY);
    }
    long floorTimestamp = Long.parseLong(floor);
    if (!Timestamps.isGlobal(floorTimestamp)) {
      throw new IllegalArgumentException(
          "table floor is no timestamp, table=" + table.getTableName() + " floor=" + floor);
    }
    String fastPath = table.getValue(FAST_PATH_KEY);
    String plainClients = table.getValue(PLAIN_CLIENTS_KEY);
    return Optional.of(
        new TableSettings(
            Phase.valueOf(phase),
            ConflictLevel.valueOf(level),
            floorTimestamp,
            fastPath == null || Boolean.parseBoolean(fastPath),
            plainClients == null ? PlainClients.REFUSED : PlainClients.valueOf(plainClients)));
  }

  /**
   * Returns true if a table has none of our settings and code: it has never been transactional, or
   * has been made plain, after all its decisions were reported. One without settings that has the
   * observer has lost them, and is no plain one.
   */
  public static boolean isPlain(TableDescriptor table) {
    return table.getValue(PHASE_KEY) == null && !table.hasCoprocessor(COPROCESSOR);
  }

  /** Returns true if a coprocessor of a table is the region observer, in its place. */
  public static boolean isObserver(CoprocessorDescriptor coprocessor) {
    return coprocessor.getClassName().equals(COPROCESSOR)
        && coprocessor.getPriority() == COPROCESSOR_PRIORITY;
  }

  /** Writes these settings into a descriptor; {@link #removeFrom} restores what it said before. */
  public TableDescriptorBuilder applyTo(TableDescriptorBuilder table) {
    TableDescriptor before = table.build();
    String plain = before.getValue(DELETE_EXPIRED_FILES_KEY);
    // A table that is being restored has both as the exported one had them.
    if (before.getValue(PHASE_KEY) == null && before.getValue(RESTORING_KEY) == null) {
      if (plain == null) {
        table.removeValue(PLAIN_DELETE_EXPIRED_FILES_KEY);
      } else {
        table.setValue(PLAIN_DELETE_EXPIRED_FILES_KEY, plain);
      }
    }
    return table
        .setValue(PHASE_KEY, phase.name())
        .setValue(LEVEL_KEY, level.name())
        .setValue(FLOOR_KEY, Long.toString(floor))
        .setValue(FAST_PATH_KEY, Boolean.toString(fastPath))
        .setValue(PLAIN_CLIENTS_KEY, plainClients.name())
        .setValue(DELETE_EXPIRED_FILES_KEY, Boolean.toString(false));
  }

  /** Removes all settings from a descriptor. */
  public static TableDescriptorBuilder removeFrom(TableDescriptorBuilder table) {
    String plain = table.build().getValue(PLAIN_DELETE_EXPIRED_FILES_KEY);
    if (plain == null) {
      table.removeValue(DELETE_EXPIRED_FILES_KEY);
    } else {
      table.setValue(DELETE_EXPIRED_FILES_KEY, plain);
    }
    return table
        .removeValue(PHASE_KEY)
        .removeValue(UNCHECKED_KEY)
        .removeValue(RESTORING_FULL_KEY)
        .removeValue(LEVEL_KEY)
        .removeValue(FLOOR_KEY)
        .removeValue(FAST_PATH_KEY)
        .removeValue(PLAIN_DELETE_EXPIRED_FILES_KEY)
        .removeValue(PLAIN_CLIENTS_KEY);
  }
}
