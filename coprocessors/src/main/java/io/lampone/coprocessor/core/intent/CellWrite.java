package io.lampone.coprocessor.core.intent;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.request.Refusal;

/**
 * Cell to put into a row.
 *
 * @param id operation that wrote the cell, stored with it; {@link OperationId#NONE} = not stored
 * @param lifetimeMillis how long after its version the value expires, stored with the cell; {@link
 *     FamilyRetention#FOREVER} = not stored
 * @param labels see {@link StoredRow.StoredCell#labels}
 */
public record CellWrite(
    Bytes family,
    Bytes qualifier,
    long version,
    Bytes value,
    OperationId id,
    long lifetimeMillis,
    Bytes labels) {

  /** Cell that all may read who may read its column. */
  public CellWrite(
      Bytes family,
      Bytes qualifier,
      long version,
      Bytes value,
      OperationId id,
      long lifetimeMillis) {
    this(family, qualifier, version, value, id, lifetimeMillis, Bytes.EMPTY);
  }

  CellWrite(Bytes family, Bytes qualifier, long version, Bytes value) {
    this(family, qualifier, version, value, OperationId.NONE, FamilyRetention.FOREVER);
  }

  /**
   * Refuses a lifetime in a family whose values have none of their own.
   *
   * @throws Refused UNSUPPORTED
   */
  public static void requireLifetime(StoredRow row, Bytes family, long lifetimeMillis) {
    if (lifetimeMillis != FamilyRetention.FOREVER && !row.retention(family).cellLifetimes()) {
      throw Refused.because(
          Refusal.Code.UNSUPPORTED,
          row.key(),
          "values of this family have no TTL of their own: let them have one"
              + " (LamponeAdmin.letCellsExpire, which sets lampone.cell-ttl = true on the family),"
              + " give the family one (LamponeAdmin.expireAfter), or leave it out, family="
              + family
              + " ttlMillis="
              + lifetimeMillis);
    }
  }

  static CellWrite of(Bytes family, long start, TransactionCell cell) {
    return new CellWrite(family, Reserved.TRANSACTION, start, Bytes.wrap(cell.encode()));
  }
}
