package io.lampone.hbase;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import java.util.Optional;
import java.util.function.Function;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Settings that make a table transactional: values in its HBase descriptor.
 *
 * @param phase whether transactions may write
 * @param level what two transactions must both write to conflict
 * @param floor transactions with smaller start timestamps may not write here: they began before the
 *     table was enabled at this level
 * @param fastPath whether fast-path operations and one-region commits may write
 * @param plainClients how operations of plain HBase clients are treated
 * @param schemaFloor writers that a region admits on its own must have known this timestamp before
 *     they looked up the table's indexes; 0 = no index was added
 */
public record TableSettings(
    Phase phase,
    ConflictLevel level,
    long floor,
    boolean fastPath,
    PlainClients plainClients,
    long schemaFloor) {

  /** Class name of the region observer. */
  public static final String COPROCESSOR = "io.lampone.coprocessor.TransactionObserver";

  /** Priority of the observer: behind all others, so that HBase calls each of them before it. */
  public static final int COPROCESSOR_PRIORITY = Integer.MAX_VALUE;

  /** Prefix of our descriptor values. */
  static final String KEY_PREFIX = "lampone.";

  /** Attribute of a Get for the table's description; its value is a version. */
  public static final String DESCRIBE_ATTRIBUTE = "lampone.describe";

  /** Descriptor value: the phase; absent for a plain table. */
  public static final String PHASE_KEY = "lampone.phase";

  /** Descriptor value: the conflict level. */
  public static final String LEVEL_KEY = "lampone.level";

  /** Descriptor value: the table's own floor. */
  public static final String FLOOR_KEY = "lampone.floor";

  /** Descriptor value: "false" if the fast path is switched off; absent means "true". */
  public static final String FAST_PATH_KEY = "lampone.fast-path";

  /** Descriptor value: the schema floor; absent means 0. Only {@link #removeFrom} lowers it. */
  public static final String SCHEMA_FLOOR_KEY = "lampone.schema-floor";

  /** Descriptor value: what plain clients may do; absent means {@code REFUSED}. */
  public static final String PLAIN_CLIENTS_KEY = "lampone.plain-clients";

  /**
   * Descriptor value of a table that is being enabled and has never been transactional: its
   * versions have yet to be checked with the observer in place.
   */
  public static final String UNCHECKED_KEY = "lampone.unchecked";

  /**
   * Descriptor value: the backup from which a table is being filled; while it is present, the table
   * is plain and incomplete.
   */
  public static final String RESTORING_KEY = "lampone.restoring";

  /** Descriptor value of a table that is being restored and is complete. */
  public static final String RESTORING_FULL_KEY = "lampone.restoring.full";

  /** Descriptor value: the backup from which a table was made. */
  public static final String RESTORED_KEY = "lampone.restored";

  /** Descriptor value: the table's name in the backup from which it is, or was, filled. */
  public static final String RESTORED_TABLE_KEY = "lampone.restored.table";

  /**
   * HBase's property: whether a store deletes whole files whose newest version is older than the
   * TTL of its family, which no hook can prevent. A transactional table has no such TTL unless it
   * is set later; then versions of earlier plain clients would be lost.
   */
  public static final String DELETE_EXPIRED_FILES_KEY = "hbase.store.delete.expired.storefile";

  /** Descriptor value: that property's former value in the plain table, if it had one. */
  public static final String PLAIN_DELETE_EXPIRED_FILES_KEY = "lampone.plain.delete.expired";

  /**
   * Attribute by which an administrator's plain operations pass the observer, in phase CHANGING
   * only: Get, Scan, Put and Delete with any value of it are left to HBase.
   */
  public static final String MAINTENANCE_ATTRIBUTE = "lampone.maintenance";

  /**
   * Attribute of a Scan that reads cells as they are stored, below every snapshot: for diagnostic
   * tools. Its value is an {@link io.lampone.protocol.trust.InspectionPass}, or none: then values
   * are empty, and neither leaders in other tables nor followers are named. HBase's own access
   * control still applies.
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
    /** Operations fail. */
    REFUSED,
    /** Each operation is a separate transaction on the fast path. */
    FAST_PATH,
    /**
     * Each read is answered separately, coprocessors' writes in the region itself are executed on
     * the fast path, and clients' writes fail. For the statements that Apache Phoenix sends without
     * a transaction.
     */
    PHOENIX
  }

  /** Settings of a table that Apache Phoenix creates. */
  public static TableSettings ofPhoenix(long floor) {
    return new TableSettings(Phase.ENABLED, ConflictLevel.ROW, floor, true, PlainClients.PHOENIX);
  }

  /** Creates settings of a table to which no index was added. */
  public TableSettings(
      Phase phase, ConflictLevel level, long floor, boolean fastPath, PlainClients plainClients) {
    this(phase, level, floor, fastPath, plainClients, 0);
  }

  /** Creates settings with the fast path on, and plain clients refused. */
  public TableSettings(Phase phase, ConflictLevel level, long floor) {
    this(phase, level, floor, true, PlainClients.REFUSED);
  }

  /** Returns the same settings in another phase. */
  public TableSettings in(Phase newPhase) {
    return new TableSettings(newPhase, level, floor, fastPath, plainClients, schemaFloor);
  }

  /**
   * Returns the settings of a table; empty if it is a plain one.
   *
   * @throws IllegalArgumentException if the values cannot be read
   */
  public static Optional<TableSettings> of(TableDescriptor table) {
    if (table.getValue(PHASE_KEY) == null) {
      return Optional.empty();
    }
    if (table.getValue(LEVEL_KEY) == null || table.getValue(FLOOR_KEY) == null) {
      throw new IllegalArgumentException(
          "table descriptor lacks a value, table=" + table.getTableName() + " key=" + LEVEL_KEY);
    }
    long floor = read(table, FLOOR_KEY, Long::valueOf, 0L);
    long schemaFloor = read(table, SCHEMA_FLOOR_KEY, Long::valueOf, 0L);
    if (!Timestamps.isGlobal(floor)
        || table.getValue(SCHEMA_FLOOR_KEY) != null && !Timestamps.isGlobal(schemaFloor)) {
      throw new IllegalArgumentException(
          "table floor is no timestamp, table="
              + table.getTableName()
              + " floor="
              + floor
              + " schemaFloor="
              + schemaFloor);
    }
    return Optional.of(
        new TableSettings(
            read(table, PHASE_KEY, Phase::valueOf, Phase.ENABLED),
            read(table, LEVEL_KEY, ConflictLevel::valueOf, ConflictLevel.ROW),
            floor,
            read(table, FAST_PATH_KEY, Boolean::valueOf, true),
            read(table, PLAIN_CLIENTS_KEY, PlainClients::valueOf, PlainClients.REFUSED),
            schemaFloor));
  }

  private static <T> T read(
      TableDescriptor table, String key, Function<String, T> parser, T absent) {
    String value = table.getValue(key);
    try {
      return value == null ? absent : parser.apply(value);
    } catch (IllegalArgumentException e) {
      // Printed as ASCII and without the cause: a terminal obeys control characters.
      throw new IllegalArgumentException(
          "table descriptor has an illegal value, table="
              + table.getTableName()
              + " key="
              + key
              + " value="
              + Bytes.utf8(value));
    }
  }

  /**
   * Returns true if a table has neither our settings nor our code: it has never been transactional,
   * or has been made plain, after all its decisions were healed. A table with the observer and
   * without settings has lost them, and is not plain.
   */
  public static boolean isPlain(TableDescriptor table) {
    return table.getValue(PHASE_KEY) == null && !table.hasCoprocessor(COPROCESSOR);
  }

  /** Returns true if a coprocessor of a table is the region observer, in its place. */
  public static boolean isObserver(CoprocessorDescriptor coprocessor) {
    return coprocessor.getClassName().equals(COPROCESSOR)
        && coprocessor.getPriority() == COPROCESSOR_PRIORITY;
  }

  /** Writes these settings into a descriptor; {@link #removeFrom} restores the earlier values. */
  public TableDescriptorBuilder applyTo(TableDescriptorBuilder table) {
    TableDescriptor before = table.build();
    String plain = before.getValue(DELETE_EXPIRED_FILES_KEY);
    // A table that is being restored has both as they were exported.
    if (before.getValue(PHASE_KEY) == null && before.getValue(RESTORING_KEY) == null) {
      if (plain == null) {
        table.removeValue(PLAIN_DELETE_EXPIRED_FILES_KEY);
      } else {
        table.setValue(PLAIN_DELETE_EXPIRED_FILES_KEY, plain);
      }
    }
    if (schemaFloor != 0) {
      table.setValue(SCHEMA_FLOOR_KEY, Long.toString(schemaFloor));
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
        .removeValue(SCHEMA_FLOOR_KEY)
        .removeValue(FAST_PATH_KEY)
        .removeValue(PLAIN_DELETE_EXPIRED_FILES_KEY)
        .removeValue(PLAIN_CLIENTS_KEY);
  }
}
