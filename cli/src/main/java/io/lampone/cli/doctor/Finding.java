package io.lampone.cli.doctor;

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
 */
public record Finding(
    Ailment ailment,
    String table,
    String place,
    String detail,
    Optional<TransactionId> transaction,
    Optional<RowFamily> intent) {}
