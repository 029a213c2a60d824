package io.lampone.cli.doctor;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import java.util.Optional;

/**
 * One problem found.
 *
 * @param ailment kind of problem
 * @param table table of the problem
 * @param place row and family, printable; or the family, or empty
 * @param detail observed values, as {@code name=value}
 * @param transaction transaction concerned, if any
 * @param intent place of the intent, if it is one
 * @param cell quarantined cell, if any
 */
public record DoctorFinding(
    Ailment ailment,
    String table,
    String place,
    String detail,
    Optional<TransactionId> transaction,
    Optional<RowFamily> intent,
    Optional<Stored> cell) {

  /** Coordinates of a stored cell. */
  public record Stored(RowFamily place, Bytes qualifier, long version) {}

  /** Creates a finding without a quarantined cell. */
  DoctorFinding(
      Ailment ailment,
      String table,
      String place,
      String detail,
      Optional<TransactionId> transaction,
      Optional<RowFamily> intent) {
    this(ailment, table, place, detail, transaction, intent, Optional.empty());
  }

  /** Creates a finding that concerns no transaction. */
  public DoctorFinding(Ailment ailment, String table, String place, String detail) {
    this(ailment, table, place, detail, Optional.empty(), Optional.empty());
  }

  /** Returns the finding as one of another kind. */
  DoctorFinding as(Ailment other) {
    return new DoctorFinding(other, table, place, detail, transaction, intent, cell);
  }
}
