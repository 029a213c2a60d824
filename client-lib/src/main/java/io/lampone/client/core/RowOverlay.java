package io.lampone.client.core;

import io.lampone.protocol.Bytes;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;

/**
 * What a transaction's buffered writes say about one row: to be laid over what the servers answer.
 *
 * @param families by family; a family that is not there is untouched
 */
public record RowOverlay(Map<Bytes, FamilyOverlay> families) {

  /**
   * What is said about one family.
   *
   * @param deleted whether everything that the servers know of the family is hidden
   * @param columns value by qualifier; empty = deleted
   */
  public record FamilyOverlay(boolean deleted, NavigableMap<Bytes, Optional<Bytes>> columns) {}
}
