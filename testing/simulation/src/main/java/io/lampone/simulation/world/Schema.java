package io.lampone.simulation.world;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.simulation.hbase.Span;
import java.util.List;

/**
 * The two tables of every run: their families, columns and region boundaries. Columns of {@link
 * #LIST} hold lists that grow, which the checker of histories understands; the others hold single
 * values and are also deleted.
 *
 * <p>The tables have the same families, columns and keys, so that only its table distinguishes a
 * row of one from a row of the other. In the simulator a row is identified by its <em>name</em>:
 * the sign of its table, followed by its key. The rules of region servers and clients never see a
 * name.
 */
public final class Schema {

  private static final String FIRST_TABLE = "simulated";
  private static final String SECOND_TABLE = "simulated-too";

  /** As histories name them. */
  public static final String TABLES = FIRST_TABLE + "," + SECOND_TABLE;

  /** Names of rows of the second table begin with it; it sorts behind all keys. */
  private static final String SIGN_OF_SECOND = "~";

  public static final Bytes F = Bytes.utf8("f");
  public static final Bytes G = Bytes.utf8("g");
  public static final List<Bytes> FAMILIES = List.of(F, G);

  public static final Column LIST = new Column(F, Bytes.utf8("list"));

  /** The empty qualifier sorts before the reserved ones, so it is read another way. */
  public static final List<Column> REGISTERS =
      List.of(
          new Column(F, Bytes.EMPTY), new Column(F, Bytes.utf8("v")), new Column(G, Bytes.EMPTY));

  public static final List<Column> COLUMNS =
      List.of(REGISTERS.get(0), LIST, REGISTERS.get(1), REGISTERS.get(2));

  private static final List<Bytes> ROWS =
      List.of(
          Bytes.utf8("a1"),
          Bytes.utf8("m1"),
          Bytes.utf8("~a1"),
          Bytes.utf8("a2"),
          Bytes.utf8("m2"),
          Bytes.utf8("~m1"));

  /** Regions' spans in the beginning. */
  private static final List<Span> SPANS =
      List.of(
          new Span(Bytes.EMPTY, Bytes.utf8("g")),
          new Span(Bytes.utf8("g"), Bytes.utf8(SIGN_OF_SECOND)),
          new Span(Bytes.utf8(SIGN_OF_SECOND), Bytes.EMPTY));

  private Schema() {}

  /** A column of every row. */
  public record Column(Bytes family, Bytes qualifier) {}

  /** The table of a row, or of a region that begins with it. */
  public static String table(Bytes name) {
    return isOfSecond(name) ? SECOND_TABLE : FIRST_TABLE;
  }

  private static boolean isOfSecond(Bytes name) {
    return name.toUtf8().startsWith(SIGN_OF_SECOND);
  }

  /** The key of a row in its table. */
  public static Bytes key(Bytes name) {
    return isOfSecond(name) ? Bytes.utf8(name.toUtf8().substring(SIGN_OF_SECOND.length())) : name;
  }

  /** The name of a row. */
  public static Bytes name(String table, Bytes key) {
    return table.equals(SECOND_TABLE) ? Bytes.utf8(SIGN_OF_SECOND + key.toUtf8()) : key;
  }

  /** The name of the row of a place. */
  public static Bytes name(RowFamily place) {
    return name(place.table(), place.row());
  }

  /** A family of a row, as all but the simulator name it. */
  public static RowFamily place(Bytes name, Bytes family) {
    return new RowFamily(table(name), key(name), family);
  }

  /** Names of rows. */
  public static List<Bytes> rows(int count) {
    return ROWS.subList(0, count);
  }

  public static int mostRows() {
    return ROWS.size();
  }

  public static List<Span> spans() {
    return SPANS;
  }

  /** Returns the rows at which a region can be split: before any of its rows but the first one. */
  public static List<Bytes> cuts(Span span) {
    List<Bytes> within = ROWS.stream().filter(span::contains).sorted().toList();
    return within.size() < 2 ? List.of() : within.subList(1, within.size());
  }
}
