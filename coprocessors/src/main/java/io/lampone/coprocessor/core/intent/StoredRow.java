package io.lampone.coprocessor.core.intent;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import java.io.IOException;
import java.util.Collection;

/**
 * Port: the cells that are stored of one row, at the newest state that is visible to readers. A
 * rule that decides about a write calls it under the row's exclusive lock.
 */
public interface StoredRow {

  /** The row's key. */
  Bytes key();

  /** The name of the table. */
  String table();

  /** All families of the table. */
  Collection<Bytes> families();

  /**
   * Returns the number of versions of a column of {@code family} that are shown, and their
   * lifetime.
   */
  default FamilyRetention retention(Bytes family) {
    return FamilyRetention.DEFAULT;
  }

  /**
   * Shows cells to {@code visitor}: family by family in ascending order, in each the columns in
   * ascending order, in each the versions from the newest to the oldest, each version once.
   *
   * @throws IOException if the row cannot be read
   */
  void visit(Selection selection, Visitor visitor) throws IOException;

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

    /** All versions of some columns of one family. */
    public static Selection of(Bytes family, Collection<Bytes> columns) {
      return new Selection(java.util.List.of(family), columns, 0, Long.MAX_VALUE - 1);
    }

    /** The version {@code version} of one column in each of {@code families}. */
    public static Selection exactly(Collection<Bytes> families, Bytes column, long version) {
      return new Selection(families, java.util.List.of(column), version, version);
    }
  }

  /** Gets to see the cells. */
  @FunctionalInterface
  interface Visitor {
    /** Looks at {@code cell}, which must not be kept, and says how to go on. */
    Next visit(StoredCell cell) throws IOException;
  }

  /** Continuation of a visit. */
  enum Next {
    /** With the next older version of the column. */
    VERSION,
    /** With the next column. */
    COLUMN,
    /** With the next family. */
    FAMILY,
    /** Not at all. */
    STOP
  }

  /** Makes something of a part of an array, of which it must not keep any. */
  @FunctionalInterface
  interface ValueReader<T> {
    /** Reads. */
    T read(byte[] array, int offset, int length);
  }

  /** Bytes of a value beyond which it is long. */
  int LONG_BYTES = 4 << 10;

  /** One cell; valid during the visit only. What it returns is a copy. */
  interface StoredCell {

    /** The column family. */
    Bytes family();

    /** The column. */
    Bytes qualifier();

    /** Returns true if the column is {@code qualifier}. */
    boolean isAt(Bytes qualifier);

    /** The version. */
    long version();

    /** Returns true if the value has no bytes. */
    boolean isEmpty();

    /** The value. */
    byte[] value();

    /** Returns true if the value is too long for many of them to be kept. */
    default boolean isLong() {
      return value().length > LONG_BYTES;
    }

    /**
     * Returns the result of {@code reader} for the value's bytes, which need not be copied for
     * that.
     */
    default <T> T read(ValueReader<T> reader) {
      byte[] value = value();
      return reader.read(value, 0, value.length);
    }

    /**
     * The lifetime in milliseconds that the writer has given the value; {@link
     * FamilyRetention#FOREVER} = none.
     */
    default long lifetimeMillis() {
      return FamilyRetention.FOREVER;
    }

    /** Returns true if the operation {@code id} wrote the cell. */
    boolean isOf(OperationId id);
  }
}
