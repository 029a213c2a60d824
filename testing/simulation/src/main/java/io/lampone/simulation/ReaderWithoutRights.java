package io.lampone.simulation;

import io.lampone.client.core.StoreDeniedException;
import io.lampone.client.core.TransactionStore;
import io.lampone.protocol.RegionReply.Outcome;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A store as HBase's authorizers show it to a client that may read the row of an intent only. */
final class ReaderWithoutRights extends PassingStore {

  ReaderWithoutRights(TransactionStore store) {
    super(store);
  }

  @Override
  public CompletableFuture<Map<TransactionId, Outcome>> readLeaders(
      Collection<TransactionId> ids, long floor) {
    return denied();
  }

  @Override
  public CompletableFuture<Outcome> commitLeader(
      TransactionId id, long floor, long commitTimestamp, Tag pass) {
    return denied();
  }

  @Override
  public CompletableFuture<Outcome> abortLeader(
      TransactionId id, long floor, boolean plantOnAbsence, Proof proof) {
    return denied();
  }

  private static <T> CompletableFuture<T> denied() {
    return CompletableFuture.failedFuture(new StoreDeniedException("denied", null));
  }
}
