package io.lampone.cli.doctor;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import java.util.Optional;

/**
 * One thing that is wrong.
 *
 * @param ailment what
 * @param table where
 * @param place row and family, printable; or the family, or empty
 * @param detail what was found, as {@code name=value}
 * @param transaction whose it is, if it is a transaction's
 * @param intent where its intent is, if it is one
 * @param cell which cell is quarantined, if one is
 */
public record DoctorFinding(
    Ailment ailment,
    String table,
    String place,
    String detail,
    Optional<TransactionId> transaction,
    Optional<RowFamily> intent,
    Optional<Stored> cell) {

  /** A cell as it is stored. */
  public record Stored(RowFamily place, Bytes qualifier, long version) {}

  /** One that is about no cell that is quarantined. */
  DoctorFinding(
      Ailment ailment,
      String table,
      String place,
      String detail,
      Optional<TransactionId> transaction,
      Optional<RowFamily> intent) {
    this(ailment, table, place, detail, transaction, intent, Optional.empty());
  }
}
