package io.lampone.coprocessor.jmx;

import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.tm.ServerReport;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counters for {@link RegionServerMXBean}. Thread-safe; a count is one addition. */
public final class RegionServerCounts implements RegionServerMXBean {

  private final Map<String, LongSupplier> state;
  private final Map<Class<?>, LongAdder> requests = new ConcurrentHashMap<>();
  private final Map<Refusal.Code, LongAdder> refusals = new ConcurrentHashMap<>();
  private final LongAdder waits = new LongAdder();
  private final LongAdder tickWaits = new LongAdder();
  private final LongAdder births = new LongAdder();
  private final LongAdder kept = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder frozen = new LongAdder();
  private final LongSupplier intentsMet;

  /**
   * Creates counters.
   *
   * @param intentsMet how often readers have met undecided intents
   * @param state values by the names of {@link RegionServerMXBean#getState}
   */
  public RegionServerCounts(LongSupplier intentsMet, Map<String, LongSupplier> state) {
    this.intentsMet = intentsMet;
    this.state = Map.copyOf(state);
  }

  /** Counts an executed request. */
  public void executed(RegionRequest request) {
    count(requests, request.getClass());
    if (request instanceof FastWrite write) {
      births.add(write.operations().size());
    } else if (request instanceof OneRegionCommit) {
      births.increment();
    }
  }

  /** Counts a refused request. */
  public void refused(Refusal.Code code) {
    count(refusals, code);
  }

  /** Counts a wait of a reader for a write in flight. */
  public void waited() {
    waits.increment();
  }

  /** Counts a wait of a writer for a timestamp. */
  public void waitedForTicks() {
    tickWaits.increment();
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

  /** Returns the report for the transaction manager. */
  public ServerReport report(String server) {
    SortedMap<String, Long> values = new TreeMap<>(getState());
    values.putAll(getCounts());
    getRequests().forEach((kind, count) -> values.put("requests." + kind, count));
    getRefusals().forEach((code, count) -> values.put("refusals." + code, count));
    return new ServerReport(server, values);
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
  public SortedMap<String, Long> getCounts() {
    SortedMap<String, Long> counts = new TreeMap<>();
    counts.put("waits", waits.sum());
    counts.put("tickWaits", tickWaits.sum());
    counts.put("births", births.sum());
    counts.put("intentsMet", intentsMet.getAsLong());
    counts.put("cellsKept", kept.sum());
    counts.put("cellsDropped", dropped.sum());
    counts.put("cellsFrozen", frozen.sum());
    return counts;
  }

  @Override
  public SortedMap<String, Long> getState() {
    SortedMap<String, Long> values = new TreeMap<>();
    state.forEach((name, value) -> values.put(name, value.getAsLong()));
    return values;
  }
}
