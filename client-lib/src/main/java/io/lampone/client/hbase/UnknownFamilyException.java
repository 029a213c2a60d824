package io.lampone.client.hbase;

import io.lampone.client.LamponeException.Code;

/** Signals a column family that the client's view of the table lacks; it may be newer. */
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
