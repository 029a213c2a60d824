package io.lampone.client.hbase;

import io.lampone.client.LamponeException.Code;

/**
 * Signals that the client's view of the table has no such column family; it may have been added
 * since.
 */
public final class UnknownFamilyException extends BadRequestException {

  private static final long serialVersionUID = 1;

  private final String table;

  UnknownFamilyException(String table, String message) {
    super(Code.BAD_REQUEST, message);
    this.table = table;
  }

  /** Returns the table, with its namespace. */
  String table() {
    return table;
  }
}
