package io.lampone.simulation.client;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** Delegating store; a mutant changes a request or a reply. */
public class PassingStore implements TransactionStore {

  private final TransactionStore store;

  public PassingStore(TransactionStore store) {
    this.store = store;
  }

  @Override
  public Step<Void> flush(FlushBatch batch) {
    return store.flush(batch);
  }

  @Override
  public Step<Outcome> commitLeader(TransactionId id, long floor, long commitTimestamp, Tag pass) {
    return store.commitLeader(id, floor, commitTimestamp, pass);
  }

  @Override
  public Step<Outcome> abortLeader(
      TransactionId id, long floor, boolean plantOnAbsence, Proof proof) {
    return store.abortLeader(id, floor, plantOnAbsence, proof);
  }

  @Override
  public Step<Outcome> finishLeader(
      TransactionId id, long floor, long commitTimestamp, Proof proof) {
    return store.finishLeader(id, floor, commitTimestamp, proof);
  }

  @Override
  public Step<Void> heal(TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
    return store.heal(id, floor, followers, fate);
  }

  @Override
  public Step<Optional<Changed>> certify(Certification wanted) {
    return store.certify(wanted);
  }

  @Override
  public Step<RangeFindings> certify(RangeCertification wanted) {
    return store.certify(wanted);
  }

  @Override
  public Step<Outcome> resolve(Intent intent, long floor) {
    return store.resolve(intent, floor);
  }

  @Override
  public Step<Map<TransactionId, Outcome>> readLeaders(Collection<TransactionId> ids, long floor) {
    return store.readLeaders(ids, floor);
  }
}
