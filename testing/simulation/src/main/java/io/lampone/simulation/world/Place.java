package io.lampone.simulation.world;

import io.lampone.protocol.Bytes;

/**
 * One column of one row.
 *
 * @param row its name, see {@link Schema}
 */
public record Place(Bytes row, Schema.Column column) {

  @Override
  public String toString() {
    return row.toUtf8() + "/" + column.family().toUtf8() + ":" + column.qualifier().toUtf8();
  }
}
