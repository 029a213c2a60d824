package io.lampone.simulation.hbase;

import io.lampone.protocol.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Regions at some time, by their first rows.
 *
 * @param starts never changed once it is shared
 */
public record Layout(NavigableMap<Bytes, Integer> starts) {

  public int regionOf(Bytes row) {
    return Objects.requireNonNull(starts.floorEntry(row)).getValue();
  }

  /** Groups rows by region. */
  <R> List<List<R>> byRegion(List<R> all, Function<R, Bytes> row) {
    NavigableMap<Integer, List<R>> parts = new TreeMap<>();
    for (R each : all) {
      parts.computeIfAbsent(regionOf(row.apply(each)), r -> new ArrayList<>()).add(each);
    }
    return List.copyOf(parts.values());
  }
}
