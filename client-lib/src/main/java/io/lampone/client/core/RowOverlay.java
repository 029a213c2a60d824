package io.lampone.client.core;

import io.lampone.protocol.Bytes;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;

/**
 * Overlay of a transaction's buffered writes on one row of the servers' answers.
 *
 * @param families by family; a family that is not there is untouched
 */
public record RowOverlay(Map<Bytes, FamilyOverlay> families) {

  /**
   * Overlay on one family.
   *
   * @param deleted whether everything that the servers know of the family is hidden
   * @param columns value by qualifier; empty = deleted
   */
  public record FamilyOverlay(boolean deleted, NavigableMap<Bytes, Optional<Bytes>> columns) {}
}
