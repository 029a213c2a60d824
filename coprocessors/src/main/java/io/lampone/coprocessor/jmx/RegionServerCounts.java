package io.lampone.coprocessor.jmx;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.time.Clock;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counters for {@link RegionServerMXBean}. Thread-safe; a count is one addition. */
public final class RegionServerCounts implements RegionServerMXBean {

  private final LongSupplier safePoint;
  private final Clock clock;
  private final Map<Class<?>, LongAdder> requests = new ConcurrentHashMap<>();
  private final Map<Refusal.Code, LongAdder> refusals = new ConcurrentHashMap<>();
  private final LongAdder kept = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder frozen = new LongAdder();

  /**
   * Creates counters.
   *
   * @param safePoint the known safe point; 0 if there is none
   */
  public RegionServerCounts(LongSupplier safePoint, Clock clock) {
    this.safePoint = safePoint;
    this.clock = clock;
  }

  /** Counts an executed request. */
  public void executed(RegionRequest request) {
    count(requests, request.getClass());
  }

  /** Counts a refused request. */
  public void refused(Refusal.Code code) {
    count(refusals, code);
  }

  private static <K> void count(Map<K, LongAdder> counts, K key) {
    LongAdder known = counts.get(key); // without a lock
    (known == null ? counts.computeIfAbsent(key, each -> new LongAdder()) : known).increment();
  }

  /** Counts the cells of one flush or compaction of a store. */
  public void collected(long keptCells, long droppedCells, long frozenCells) {
    kept.add(keptCells);
    dropped.add(droppedCells);
    frozen.add(frozenCells);
  }

  @Override
  public SortedMap<String, Long> getRequests() {
    SortedMap<String, Long> counts = new TreeMap<>();
    requests.forEach((kind, count) -> counts.put(kind.getSimpleName(), count.sum()));
    return counts;
  }

  @Override
  public SortedMap<String, Long> getRefusals() {
    SortedMap<String, Long> counts = new TreeMap<>();
    refusals.forEach((code, count) -> counts.put(code.name(), count.sum()));
    return counts;
  }

  @Override
  public long getCellsKept() {
    return kept.sum();
  }

  @Override
  public long getCellsDropped() {
    return dropped.sum();
  }

  @Override
  public long getCellsFrozen() {
    return frozen.sum();
  }

  @Override
  public long getSafePointLagMillis() {
    long known = safePoint.getAsLong();
    return known == 0 ? -1 : clock.wallMillis() - Timestamps.toInstant(known).toEpochMilli();
  }
}
