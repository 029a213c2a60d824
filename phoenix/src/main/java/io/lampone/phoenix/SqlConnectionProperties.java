package io.lampone.phoenix;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.phoenix.exception.SQLExceptionCode;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.schema.PIndexState;
import org.apache.phoenix.schema.PTable;
import org.jspecify.annotations.Nullable;

/** Lampone's properties of a connection of Phoenix. */
final class SqlConnectionProperties {

  /** Begins a transaction of the connection, as its properties say. */
  @FunctionalInterface
  interface Beginning {
    SqlTransaction begin(@Nullable PTable fenced) throws SQLException, IOException;
  }

  /** Isolation of Lampone's clients. Only SNAPSHOT is possible here. */
  static final String ISOLATION = "lampone.client.isolation";

  /** Property: true if autocommit statements of one row use the fast path. */
  private static final String FAST_PATH = "lampone.sql.fast-path";

  /** Time of the snapshot of a connection that reads the past. */
  private static final String AS_OF = "LamponeAsOf";

  private final PhoenixConnection connection;

  SqlConnectionProperties(PhoenixConnection connection) {
    this.connection = connection;
  }

  private String value(String name, String byDefault) throws SQLException {
    return connection.getClientInfo().getProperty(name, byDefault).strip();
  }

  /**
   * Begins the next transaction.
   *
   * @param fenced table whose fence was recorded for it: it populates an index; null if none was
   */
  SqlTransaction begin(PhoenixClient client, Duration timeout, @Nullable PTable fenced)
      throws SQLException, IOException {
    if (value(ISOLATION, client.isolation()).equalsIgnoreCase("SERIALIZABLE")) {
      throw bad(
          ISOLATION
              + " is SERIALIZABLE, and transactions of SQL are SNAPSHOT: what Phoenix reads cannot be"
              + " certified. Set the property of the connection to SNAPSHOT, and let transactions"
              + " write a row where a rule spans rows that they only read",
          null);
    }
    String asOf = value(AS_OF, "");
    if (!asOf.isEmpty()) {
      return past(client, timeout, timestamp(asOf));
    }
    if (fenced != null) {
      return SqlTransaction.populating(client, timeout, newIndexes(fenced));
    }
    return connection.getAutoCommit()
        ? client.beginLate(timeout, Boolean.parseBoolean(value(FAST_PATH, Boolean.toString(true))))
        : SqlTransaction.begun(client, timeout);
  }

  /** Returns the tables of the indexes that are being made. */
  private Set<TableName> newIndexes(PTable table) throws SQLException {
    Set<TableName> names = new HashSet<>();
    for (PTable index : connection.getTable(table.getName().getString()).getIndexes()) {
      if (index.getIndexState() == PIndexState.BUILDING) {
        names.add(TableName.valueOf(index.getPhysicalName().getBytes()));
      }
    }
    return names;
  }

  private static SqlTransaction past(PhoenixClient client, Duration timeout, long timestamp)
      throws SQLException, IOException {
    try {
      return SqlTransaction.asOf(client, timeout, timestamp);
    } catch (SnapshotTooOldException e) {
      // Running it again is no cure.
      throw SqlFailures.of(e, SQLExceptionCode.TRANSACTION_FAILED);
    }
  }

  /**
   * Returns the timestamp of a time: in ISO 8601 with its zone, or milliseconds since 1970.
   *
   * @throws LamponeException if it is neither, or out of range
   */
  static long timestamp(String time) throws LamponeException {
    try {
      return Timestamps.floorOf(
          time.chars().allMatch(Character::isDigit)
              ? Instant.ofEpochMilli(Long.parseLong(time))
              : Instant.parse(time));
    } catch (DateTimeParseException e) {
      throw bad(
          AS_OF
              + " is neither a time such as 2026-01-31T12:00:00Z nor milliseconds since 1970, value="
              + time,
          e);
    } catch (IllegalArgumentException e) {
      throw bad(AS_OF + " is out of range, value=" + time, e);
    }
  }

  private static LamponeException bad(String message, @Nullable Exception cause) {
    return cause == null
        ? new LamponeException(Code.BAD_REQUEST, 0, message)
        : new LamponeException(Code.BAD_REQUEST, 0, message, cause);
  }
}
