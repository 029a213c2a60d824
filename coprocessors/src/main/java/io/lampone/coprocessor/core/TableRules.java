package io.lampone.coprocessor.core;

import io.lampone.protocol.ConflictLevel;

/**
 * What the rules must know of a table.
 *
 * @param table its name
 * @param level its conflict level
 * @param floor start timestamps below it may have been used at another level
 * @param maxCellBytes the server's limit for one value, 0 = none
 */
public record TableRules(String table, ConflictLevel level, long floor, long maxCellBytes) {

  FastRules toRules(FastRegion region) {
    return new FastRules(this, region);
  }
}
