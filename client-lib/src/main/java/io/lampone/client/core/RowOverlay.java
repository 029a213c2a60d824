package io.lampone.client.core;

import io.lampone.protocol.Bytes;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;

/**
 * Overlay of a transaction's buffered writes on one row of the servers' replies.
 *
 * @param families overlay by family; an absent family is unchanged
 */
public record RowOverlay(Map<Bytes, FamilyOverlay> families) {

  /**
   * Overlay on one family.
   *
   * @param deleted true if all of the servers' cells of the family are hidden
   * @param columns value by qualifier; empty = deleted
   */
  public record FamilyOverlay(boolean deleted, NavigableMap<Bytes, Optional<Bytes>> columns) {}
}
