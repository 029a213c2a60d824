package io.lampone.simulation.client;

import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.failure.StoreDeniedException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.Collection;
import java.util.Map;

/** A store as HBase's authorizers show it to a client that may read the row of an intent only. */
final class ReaderWithoutRights extends PassingStore {

  ReaderWithoutRights(TransactionStore store) {
    super(store);
  }

  @Override
  public Step<Map<TransactionId, Outcome>> readLeaders(Collection<TransactionId> ids, long floor) {
    return denied();
  }

  @Override
  public Step<Outcome> commitLeader(TransactionId id, long floor, long commitTimestamp, Tag pass) {
    return denied();
  }

  @Override
  public Step<Outcome> abortLeader(
      TransactionId id, long floor, boolean plantOnAbsence, Proof proof) {
    return denied();
  }

  private static <T> Step<T> denied() {
    return Step.failed(new StoreDeniedException("denied", null));
  }
}
