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

  /** What each region has in the beginning. */
  private static final List<Span> SPANS =
      List.of(
          new Span(Bytes.EMPTY, Bytes.utf8("g")),
          new Span(Bytes.utf8("g"), Bytes.utf8("s")),
          new Span(Bytes.utf8("s"), Bytes.EMPTY));

  private Schema() {}

  /** A column of every row. */
  record Column(Bytes family, Bytes qualifier) {}

  static List<Bytes> rows(int count) {
    return ROWS.subList(0, count);
  }

  static int mostRows() {
    return ROWS.size();
  }

  static List<Span> spans() {
    return SPANS;
  }

  /** Where a region can be split: before any of its rows but the first one. */
  static List<Bytes> cuts(Span span) {
    List<Bytes> within = ROWS.stream().filter(span::contains).sorted().toList();
    return within.size() < 2 ? List.of() : within.subList(1, within.size());
  }
}
