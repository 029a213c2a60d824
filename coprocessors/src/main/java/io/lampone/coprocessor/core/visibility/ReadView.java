package io.lampone.coprocessor.core.visibility;

import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.TransactionCell;

/** View of a read: judges versions. Belongs to one request. */
public sealed interface ReadView permits SnapshotView, LatestView {

  /** Verdict on a version. */
  enum Verdict {
    /** It counts. */
    VISIBLE,
    /** It does not. */
    INVISIBLE,
    /** Only the writer's leader knows; the client asks there. */
    UNDECIDED
  }

  /** Visible is what committed strictly below it. */
  long snapshot();

  /** Returns the limit of expiry: values that expire below it are not shown. */
  long expiredBelow();

  /** Takes note that something is not shown because it has expired. */
  default void hidExpired(long expiry) {}

  /** The highest version that can be visible. */
  long highestVersion();

  /** The verdict on a version that needs no transaction cell. */
  Verdict ofCommittedAtBirth(long version);

  /** The verdict on a version whose transaction's cell in {@code row} and {@code family} it is. */
  Verdict of(long version, TransactionCell cell, StoredRow row, Bytes family);
}
