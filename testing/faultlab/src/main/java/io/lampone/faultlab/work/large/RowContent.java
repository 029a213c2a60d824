package io.lampone.faultlab.work.large;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Content of a row as a function of the stamp of the transaction that has written it and of the
 * place of the row in its group. So a reader knows each byte that it must find, and no run stores
 * them.
 *
 * <pre>
 *   f:v    stamp:8 place:4 filling:0..16384     in each row; lengths are skewed
 *   f:e    empty                                in every second row
 *   f:big  as long as a cell may be             in the header row, of one stamp in 40
 *   g:n    a number of 8 bytes                  in three rows of four; incremented
 *   g:a    text of 0 to 60 bytes                in every second row; appended to
 *   g:x    0 or 1                               in every second row; for filters
 *   g:y    place:4                              in one row of four
 *   t:x    stamp:8                              in the first rows; expires
 * </pre>
 */
public final class RowContent {

  /** The place of the header row. */
  public static final int HEADER = -1;

  /** Families of the tables, the last of which expires. */
  public static final List<String> FAMILIES = List.of("f", "g", "t");

  /** The family whose values expire. */
  public static final String EXPIRING = "t";

  /** All columns, {@code family:qualifier}. */
  static final List<String> COLUMNS =
      List.of("f:big", "f:e", "f:v", "g:a", "g:n", "g:x", "g:y", "t:x");

  static final String VALUE = "f:v";
  static final String TEXT = "g:a";
  static final String NUMBER = "g:n";
  static final String FLAG = "g:x";
  static final String MORTAL = "t:x";

  /** Rows of a group that have a value that expires. */
  static final int MORTAL_ROWS = 8;

  /** Bytes that a cell may have besides this overhead. */
  private static final int OVERHEAD = 128;

  private static final int BIG_IN = 40;
  private static final int LENGTHS = 256;
  private static final int SHORT = 230;
  private static final int LONGEST_SHORT = 150;
  private static final int LONGEST_MEDIUM = 2_000;
  private static final int LONGEST = 16 << 10;
  private static final int LONGEST_TEXT = 60;

  private RowContent() {}

  /**
   * Returns the columns of a row, {@code family:qualifier}, in HBase's order.
   *
   * @param stamp unique to the transaction that has written the group
   * @param place in the group, from 0; {@link #HEADER} for the row that holds the stamp
   * @param largestCell bytes that a cell may have
   */
  public static NavigableMap<String, byte[]> of(long stamp, int place, int largestCell) {
    SplittableRandom random = new SplittableRandom(stamp * 1_000_003 + place);
    NavigableMap<String, byte[]> columns = new TreeMap<>();
    byte[] filling = new byte[length(random)];
    random.nextBytes(filling);
    columns.put(
        VALUE,
        ByteBuffer.allocate(Long.BYTES + Integer.BYTES + filling.length)
            .putLong(stamp)
            .putInt(place)
            .put(filling)
            .array());
    if (random.nextBoolean()) {
      columns.put("f:e", new byte[0]);
    }
    if (random.nextInt(4) != 0) {
      columns.put(NUMBER, ByteBuffer.allocate(Long.BYTES).putLong(random.nextInt()).array());
    }
    if (random.nextBoolean()) {
      columns.put(
          TEXT,
          "abcdef"
              .repeat(LONGEST_TEXT)
              .substring(0, random.nextInt(LONGEST_TEXT))
              .getBytes(StandardCharsets.UTF_8));
    }
    if (random.nextBoolean()) {
      columns.put(FLAG, new byte[] {(byte) random.nextInt(2)});
    }
    if (random.nextInt(4) == 0) {
      columns.put("g:y", ByteBuffer.allocate(Integer.BYTES).putInt(place).array());
    }
    if (place == HEADER && random.nextInt(BIG_IN) == 0) {
      byte[] big = new byte[largestCell - OVERHEAD];
      random.nextBytes(big);
      columns.put("f:big", big);
    }
    if (place >= 0 && place < MORTAL_ROWS) {
      columns.put(MORTAL, ByteBuffer.allocate(Long.BYTES).putLong(stamp).array());
    }
    return columns;
  }

  /** Most are short, one in ten is longer, some are as long as a small document. */
  private static int length(SplittableRandom random) {
    int dice = random.nextInt(LENGTHS);
    return random.nextInt(
        dice < SHORT ? LONGEST_SHORT : dice < LENGTHS - 1 ? LONGEST_MEDIUM : LONGEST);
  }

  /** Returns the stamp in a value of the column {@link #VALUE}; 0 if it is too short for one. */
  static long stamp(byte[] value) {
    return value.length < Long.BYTES ? 0 : ByteBuffer.wrap(value).getLong();
  }
}
