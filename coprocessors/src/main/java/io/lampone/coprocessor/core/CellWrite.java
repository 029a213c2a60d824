package io.lampone.coprocessor.core;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionCell;

/**
 * One cell to be put into a row.
 *
 * @param id stored with the cell: which operation wrote it; {@link OperationId#NONE} = not stored
 */
public record CellWrite(Bytes family, Bytes qualifier, long version, Bytes value, OperationId id) {

  CellWrite(Bytes family, Bytes qualifier, long version, Bytes value) {
    this(family, qualifier, version, value, OperationId.NONE);
  }

  static CellWrite of(Bytes family, long start, TransactionCell cell) {
    return new CellWrite(family, Reserved.TRANSACTION, start, Bytes.wrap(cell.encode()));
  }
}
