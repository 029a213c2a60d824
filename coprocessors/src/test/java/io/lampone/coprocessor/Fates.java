package io.lampone.coprocessor;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proofs;
import java.util.List;

/** Statements of a cluster without a key, which any program can make. */
public final class Fates {

  private Fates() {}

  /** What the region server of the leader would state; 0 = aborted. */
  public static Fate of(TransactionId id, long commit) {
    return new Fate(commit, Proofs.OPEN.fate(id, commit));
  }

  /** A heal that shows it. */
  public static Heal heal(long start, long floor, List<Bytes> rows, long commit, RowFamily leader) {
    return new Heal(start, floor, rows, leader, of(new TransactionId(start, leader), commit));
  }
}
