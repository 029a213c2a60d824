package io.lampone.coprocessor.core.intent;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Reserved;
import java.io.IOException;
import java.util.Collection;

/**
 * Port: the stored cells of one row, in the newest state that is visible to readers. A rule that
 * decides about a write calls it under the row's exclusive lock.
 */
public interface StoredRow {

  /** Returns the row's key. */
  Bytes key();

  /** Returns the name of the table. */
  String table();

  /** Returns all families of the table. */
  Collection<Bytes> families();

  /**
   * Returns the number of versions of a column of {@code family} that are shown, and their
   * lifetime.
   */
  default FamilyRetention retention(Bytes family) {
    return FamilyRetention.DEFAULT;
  }

  /**
   * Passes cells to {@code visitor}: families in ascending order, in each the columns in ascending
   * order, in each the versions from the newest to the oldest, each version once.
   *
   * @throws IOException if the row cannot be read
   */
  void visit(Selection selection, Visitor visitor) throws IOException;

  /**
   * Passes the cells of the reserved columns of {@code family} to {@code visitor}, up to the
   * version {@code highest}. A row of many that are read in order may have been read ahead: then
   * they are as they were then.
   *
   * @throws IOException if the row cannot be read
   */
  default void visitReserved(Bytes family, long highest, Visitor visitor) throws IOException {
    visit(Selection.ofReserved(family, highest), visitor);
  }

  /**
   * Cells to visit.
   *
   * @param families the families; never empty
   * @param columns the columns in each of them; empty = all
   * @param lowest the lowest version
   * @param highest the highest version, inclusive
   */
  record Selection(
      Collection<Bytes> families, Collection<Bytes> columns, long lowest, long highest) {

    /** Returns a selection of all versions of some columns of one family. */
    public static Selection of(Bytes family, Collection<Bytes> columns) {
      return new Selection(java.util.List.of(family), columns, 0, Long.MAX_VALUE - 1);
    }

    /** Returns a selection of the reserved columns of one family up to a version. */
    public static Selection ofReserved(Bytes family, long highest) {
      return new Selection(
          java.util.List.of(family),
          java.util.List.of(Reserved.TRANSACTION, Reserved.FAMILY_TOMBSTONE),
          0,
          highest);
    }

    /** Returns a selection of one version of one column in each of {@code families}. */
    public static Selection exactly(Collection<Bytes> families, Bytes column, long version) {
      return new Selection(families, java.util.List.of(column), version, version);
    }
  }

  /** Receives the cells of a visit. */
  @FunctionalInterface
  interface Visitor {
    /** Handles {@code cell}, which must not be kept, and returns where to continue. */
    Next visit(StoredCell cell) throws IOException;
  }

  /** Continuation of a visit. */
  enum Next {
    /** The next older version of the column. */
    VERSION,
    /** The next column. */
    COLUMN,
    /** The next family. */
    FAMILY,
    /** End of the visit. */
    STOP
  }

  /** Reads part of an array, which it must not keep. */
  @FunctionalInterface
  interface ValueReader<T> {
    /** Returns the result of reading. */
    T read(byte[] array, int offset, int length);
  }

  /** Length in bytes above which a value is long. */
  int LONG_BYTES = 4 << 10;

  /** One cell; valid during the visit only. The returned values are copies. */
  interface StoredCell {

    /** Returns the column family. */
    Bytes family();

    /** Returns the column. */
    Bytes qualifier();

    /** Returns true if the column is {@code qualifier}. */
    boolean isAt(Bytes qualifier);

    /** Returns the version. */
    long version();

    /** Returns true if the value is empty. */
    boolean isEmpty();

    /** Returns the value. */
    byte[] value();

    /** Returns true if the value is too long to keep many of them. */
    default boolean isLong() {
      return value().length > LONG_BYTES;
    }

    /** Returns the result of {@code reader} on the value's bytes, possibly without a copy. */
    default <T> T read(ValueReader<T> reader) {
      byte[] value = value();
      return reader.read(value, 0, value.length);
    }

    /**
     * Returns the lifetime in milliseconds that the writer gave the value; {@link
     * FamilyRetention#FOREVER} = none.
     */
    default long lifetimeMillis() {
      return FamilyRetention.FOREVER;
    }

    /** Returns HBase's tags that restrict who may read the cell, encoded; empty = none. */
    default Bytes labels() {
      return Bytes.EMPTY;
    }

    /** Returns true if the operation {@code id} wrote the cell. */
    boolean isOf(OperationId id);
  }
}
