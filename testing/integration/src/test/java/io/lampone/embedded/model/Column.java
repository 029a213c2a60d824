package io.lampone.embedded.model;

import io.lampone.protocol.Bytes;

/** A column, in HBase's order. */
public record Column(Bytes family, Bytes qualifier) implements Comparable<Column> {

  @Override
  public int compareTo(Column other) {
    int c = family.compareTo(other.family);
    return c != 0 ? c : qualifier.compareTo(other.qualifier);
  }

  @Override
  public String toString() {
    return family + ":" + qualifier;
  }
}
