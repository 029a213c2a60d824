package io.lampone.coprocessor.core;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionCell;

/** One cell to be put into a row. */
public record CellWrite(Bytes family, Bytes qualifier, long version, Bytes value) {

  static CellWrite of(Bytes family, long start, TransactionCell cell) {
    return new CellWrite(family, Reserved.TRANSACTION, start, Bytes.wrap(cell.encode()));
  }
}
