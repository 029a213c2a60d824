package io.lampone.embedded.model;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;

/**
 * One write of a transaction to one row.
 *
 * @param table number of the table
 * @param row the row
 * @param kind of the write
 * @param column the column; the qualifier of a wide delete has no meaning
 * @param value new value; empty for deletes
 * @param lifetimeMillis how long after the writer's version the value expires; 0 = never
 */
record ModelWrite(
    int table, Bytes row, Kind kind, Column column, Bytes value, long lifetimeMillis) {

  enum Kind {
    PUT,
    DELETE_COLUMN,
    DELETE_FAMILY
  }

  static ModelWrite put(int table, Bytes row, Column column, Bytes value) {
    return put(table, row, column, value, 0);
  }

  static ModelWrite put(int table, Bytes row, Column column, Bytes value, long lifetimeMillis) {
    return new ModelWrite(table, row, Kind.PUT, column, value, lifetimeMillis);
  }

  static ModelWrite deleteColumn(int table, Bytes row, Column column) {
    return new ModelWrite(table, row, Kind.DELETE_COLUMN, column, Bytes.EMPTY, 0);
  }

  static ModelWrite deleteFamily(int table, Bytes row, Bytes family) {
    return new ModelWrite(
        table, row, Kind.DELETE_FAMILY, new Column(family, Bytes.EMPTY), Bytes.EMPTY, 0);
  }

  /** Returns true if only one of two transactions with these writes may commit. */
  boolean conflictsWith(ModelWrite other, ConflictLevel level) {
    if (table != other.table || !row.equals(other.row)) {
      return false;
    }
    if (level == ConflictLevel.ROW) {
      return true;
    }
    return column.family().equals(other.column.family())
        && (kind == Kind.DELETE_FAMILY
            || other.kind == Kind.DELETE_FAMILY
            || column.qualifier().equals(other.column.qualifier()));
  }
}
