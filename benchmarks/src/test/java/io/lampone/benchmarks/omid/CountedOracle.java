package io.lampone.benchmarks.omid;

import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.apache.omid.tso.client.CellId;
import org.apache.omid.tso.client.OmidClientConfiguration.ConflictDetectionLevel;
import org.apache.omid.tso.client.TSOFuture;
import org.apache.omid.tso.client.TSOProtocol;

/**
 * Omid's client of its timestamp oracle, with a count of requests.
 *
 * @param oracle the client
 * @param requests the count
 */
record CountedOracle(TSOProtocol oracle, LongAdder requests) implements TSOProtocol {

  @Override
  public TSOFuture<Long> getNewStartTimestamp() {
    requests.increment();
    return oracle.getNewStartTimestamp();
  }

  @Override
  public TSOFuture<Long> commit(long startTimestamp, Set<? extends CellId> cells) {
    requests.increment();
    return oracle.commit(startTimestamp, cells);
  }

  @Override
  public TSOFuture<Long> commit(
      long startTimestamp, Set<? extends CellId> cells, Set<? extends CellId> conflictFree) {
    requests.increment();
    return oracle.commit(startTimestamp, cells, conflictFree);
  }

  @Override
  public TSOFuture<Long> getFence(long table) {
    requests.increment();
    return oracle.getFence(table);
  }

  @Override
  public long getEpoch() {
    return oracle.getEpoch();
  }

  @Override
  public boolean isLowLatency() {
    return oracle.isLowLatency();
  }

  @Override
  public void setConflictDetectionLevel(ConflictDetectionLevel level) {
    oracle.setConflictDetectionLevel(level);
  }

  @Override
  public ConflictDetectionLevel getConflictDetectionLevel() {
    return oracle.getConflictDetectionLevel();
  }

  @Override
  public TSOFuture<Void> close() {
    return oracle.close();
  }
}
