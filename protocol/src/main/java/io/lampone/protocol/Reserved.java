package io.lampone.protocol;

/**
 * Qualifiers that Lampone reserves in every family of a transactional table. All begin with {@link
 * #PREFIX}; a user operation that names one is refused. They sort before every qualifier that
 * begins with a printable byte, so that a read meets them first.
 */
public final class Reserved {

  /** Prefix of every reserved qualifier. */
  public static final Bytes PREFIX = Bytes.of((byte) 0, (byte) 'l', (byte) 'p');

  /** The transaction cell: version = start timestamp, value = {@link TransactionCell}. */
  public static final Bytes TRANSACTION = Bytes.of((byte) 0, (byte) 'l', (byte) 'p', (byte) '0');

  /**
   * The family tombstone: version = start timestamp + slot, empty value. It hides every older
   * version of every column of the family, and at its own version everything but puts.
   */
  public static final Bytes FAMILY_TOMBSTONE =
      Bytes.of((byte) 0, (byte) 'l', (byte) 'p', (byte) '1');

  /** A family that no table has: a request that names it fails unless the observer removes it. */
  public static final Bytes PROOF_FAMILY = Bytes.utf8("lampone-proof");

  private Reserved() {}

  /** Returns true if users may not use {@code qualifier}. */
  public static boolean isReserved(Bytes qualifier) {
    return qualifier.startsWith(PREFIX);
  }
}
