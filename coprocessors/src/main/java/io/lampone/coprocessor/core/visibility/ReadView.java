package io.lampone.coprocessor.core.visibility;

import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.TransactionCell;

/** View of a read: judges versions. Belongs to one request. */
public sealed interface ReadView permits SnapshotView, LatestView {

  /** Verdict on a version. */
  enum Verdict {
    /** The version counts. */
    VISIBLE,
    /** The version does not count. */
    INVISIBLE,
    /** Only the writer's leader holds the outcome; the client asks there. */
    UNDECIDED
  }

  /** Returns the snapshot: commits strictly below it are visible. */
  long snapshot();

  /** Returns the limit of expiry: values that expire below it are not shown. */
  long expiredBelow();

  /** Records that a value is hidden because it has expired. */
  default void hidExpired(long expiry) {}

  /** Returns the highest version that can be visible. */
  long highestVersion();

  /** Returns the verdict on a version that needs no transaction cell. */
  Verdict ofCommittedAtBirth(long version);

  /** Returns the verdict on a version by its transaction's cell in the row and family. */
  Verdict of(long version, TransactionCell cell, StoredRow row, Bytes family);

  /** Returns true if the reader sees the writes of this transaction, in whatever state it is. */
  default boolean isOwn(long start) {
    return false;
  }
}
