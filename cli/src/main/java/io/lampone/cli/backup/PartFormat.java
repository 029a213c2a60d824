package io.lampone.cli.backup;

/**
 * Byte layout of a part: the cells of one range of rows of one table, in HBase's order. Numbers are
 * big-endian; crc is CRC-32C.
 *
 * <pre>
 *   part  = magic:u32 format:u8 timestamp:i64 block* end
 *   block = length:u32 crc:u32 cell*                      length counts the bytes of the cells
 *   end   = 0:u32 crc:u32 rows:i64 cells:i64              crc of the two totals
 *   cell  = row:bytes family:bytes qualifier:bytes version:i64 value:bytes [lifetime:i64]
 *   bytes = length:u32 byte*
 * </pre>
 *
 * A version is as in a frozen table: plain or autocommitted (protocol page, section 1). A part
 * contains no tombstones and no transaction cells. In format 2, which is written, each cell has its
 * lifetime in milliseconds, 0 = none.
 */
final class PartFormat {

  /** "LMPB". */
  static final int MAGIC = 0x4c4d_5042;

  /** Format without lifetimes, of older exports. */
  static final byte FORMAT = 1;

  /** Format with lifetimes. */
  static final byte FORMAT_WITH_LIFETIMES = 2;

  /** Size at which a block is closed; the last cell may exceed it. */
  static final int BLOCK_BYTES = 1 << 20;

  /** Limit of a block: the largest cell plus the cells before it. */
  static final int MAX_BLOCK_BYTES = 1 << 30;

  /** The two totals. */
  static final int END_BYTES = 2 * Long.BYTES;

  private PartFormat() {}

  /**
   * Contents of a part.
   *
   * @param bytes of its cells
   * @param crc CRC-32C of the whole file
   */
  record Totals(long rows, long cells, long bytes, int crc) {}
}
