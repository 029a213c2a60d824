package io.lampone.coprocessor.core.intent;

import io.lampone.coprocessor.core.fastpath.FastRegion;
import io.lampone.coprocessor.core.fastpath.FastRules;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.fence.TableGeneration;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.Refusal;

/**
 * Properties of a table that the rules need.
 *
 * @param table its name
 * @param level its conflict level
 * @param floor start timestamps below it may have been used at another level
 * @param maxCellBytes the server's limit for one value, 0 = none
 * @param changing whether the table is being enabled or made plain: no new data may enter it
 * @param generationFloor of the current {@link TableGeneration}; not above {@code floor}
 * @param schemaFloor writers that know only older timestamps may not know all indexes
 */
public record TableRules(
    String table,
    ConflictLevel level,
    long floor,
    long maxCellBytes,
    boolean changing,
    long generationFloor,
    long schemaFloor) {

  /** Rules of a table that is enabled. */
  public TableRules(String table, ConflictLevel level, long floor, long maxCellBytes) {
    this(table, level, floor, maxCellBytes, false, 0, 0);
  }

  /** Refuses a transaction that began before the current generation. */
  void requireOfGeneration(long start) {
    TableGeneration.require(start, generationFloor);
  }

  /**
   * Refuses a write whose sender may not know all indexes.
   *
   * @param known a timestamp that it knew before it looked them up; 0 if it writes none
   */
  public void requireSchema(long known) {
    if (known != 0 && known < schemaFloor) {
      throw Refused.because(
          Refusal.Code.STALE_SCHEMA,
          "an index was added to the table after this client had looked up its indexes: run it"
              + " again");
    }
  }

  public FastRules toRules(FastRegion region) {
    return new FastRules(this, region);
  }
}
