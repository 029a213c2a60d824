package io.lampone.simulation;

import io.lampone.protocol.Bytes;
import java.util.List;

/**
 * The one table of every run: which families and columns it has, and where regions are cut. Columns
 * of {@link #LIST} hold lists that grow, which the judge of histories understands; the others hold
 * single values and are also deleted.
 */
final class Schema {

  static final String TABLE = "simulated";

  static final Bytes F = Bytes.utf8("f");
  static final Bytes G = Bytes.utf8("g");
  static final List<Bytes> FAMILIES = List.of(F, G);

  static final Column LIST = new Column(F, Bytes.utf8("list"));

  /** The empty qualifier sorts before the reserved ones, so it is read another way. */
  static final List<Column> REGISTERS =
      List.of(
          new Column(F, Bytes.EMPTY), new Column(F, Bytes.utf8("v")), new Column(G, Bytes.EMPTY));

  static final List<Column> COLUMNS =
      List.of(REGISTERS.get(0), LIST, REGISTERS.get(1), REGISTERS.get(2));

  private static final List<Bytes> ROWS =
      List.of(
          Bytes.utf8("a1"),
          Bytes.utf8("m1"),
          Bytes.utf8("a2"),
          Bytes.utf8("m2"),
          Bytes.utf8("t1"),
          Bytes.utf8("a3"));

  /** Where the second and third region begin. */
  private static final List<Bytes> CUTS = List.of(Bytes.utf8("g"), Bytes.utf8("s"));

  private Schema() {}

  /** A column of every row. */
  record Column(Bytes family, Bytes qualifier) {}

  static List<Bytes> rows(int count) {
    return ROWS.subList(0, count);
  }

  static int regions() {
    return CUTS.size() + 1;
  }

  /** The number of the region in which a row lies. */
  static int regionOf(Bytes row) {
    int region = 0;
    while (region < CUTS.size() && CUTS.get(region).compareTo(row) <= 0) {
      region++;
    }
    return region;
  }
}
