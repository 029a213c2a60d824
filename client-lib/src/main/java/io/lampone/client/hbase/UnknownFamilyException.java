package io.lampone.client.hbase;

import io.lampone.client.LamponeException.Code;

/** The table has no such column family; or it has been added since the client looked. */
public final class UnknownFamilyException extends BadRequestException {

  private static final long serialVersionUID = 1;

  private final String table;

  UnknownFamilyException(String table, String message) {
    super(Code.BAD_REQUEST, message);
    this.table = table;
  }

  /** The table, with its namespace. */
  String table() {
    return table;
  }
}
