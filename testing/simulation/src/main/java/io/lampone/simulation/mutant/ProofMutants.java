package io.lampone.simulation.mutant;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.simulation.hbase.PassingGuards;
import java.util.ArrayList;
import java.util.List;

/** Region servers that believe what clients say of transactions. */
final class ProofMutants {

  private ProofMutants() {}

  static List<Mutant> all() {
    List<Mutant> all = new ArrayList<>(proofs());
    all.addAll(fates());
    return all;
  }

  private static List<Mutant> proofs() {
    return List.of(
        RegionMutants.guard(
            "a flush needs no grant",
            "A17",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireOwner(long start, Proof proof) {}
                }),
        RegionMutants.guard(
            "a commit needs no statement of the transaction manager",
            "A18",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requirePassed(long start, long commit, Tag pass) {}
                }),
        RegionMutants.guard(
            "a leader is FINAL without a statement that its followers are healed",
            "A19",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireHealed(long start, long commit, Tag healed) {}
                }));
  }

  private static List<Mutant> fates() {
    return List.of(
        RegionMutants.guard(
            "a heal needs no statement of its leader's server",
            "A20",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireFate(TransactionId id, Fate fate) {}
                }),
        RegionMutants.guard(
            "a judgment needs no statement of its leader's server",
            "A21",
            real ->
                new PassingGuards(real) {
                  @Override
                  public boolean isStated(TransactionId id, Fate fate) {
                    return true;
                  }
                }),
        RegionMutants.guard(
            "a leader states its commit without the statement that it rests on",
            "A28",
            real ->
                new PassingGuards(real) {
                  @Override
                  public boolean isProved(long start, TransactionCell leader) {
                    return true;
                  }
                }),
        RegionMutants.guard(
            "an undecided leader states that it is aborted",
            "A22",
            real ->
                new PassingGuards(real) {
                  @Override
                  public Outcome stated(TransactionId id, Outcome leader) {
                    return leader.is(TransactionState.PENDING)
                        ? leader.stated(Proofs.OPEN.fate(id, 0))
                        : super.stated(id, leader);
                  }
                }),
        RegionMutants.guard(
            "a fate is that of any leader of its start timestamp",
            "A23",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireFate(TransactionId id, Fate fate) {
                    if (Proofs.OPEN.verifyFate(id, fate) != Proofs.Verdict.VALID) {
                      super.requireFate(anywhere(id), fate); // the healer makes its own
                    }
                  }

                  @Override
                  public boolean isStated(TransactionId id, Fate fate) {
                    return super.isStated(anywhere(id), fate);
                  }

                  @Override
                  public Outcome stated(TransactionId id, Outcome leader) {
                    return super.stated(anywhere(id), leader);
                  }
                }));
  }

  private static TransactionId anywhere(TransactionId id) {
    return new TransactionId(
        id.startTimestamp(), new RowFamily("anywhere", Bytes.EMPTY, Bytes.EMPTY));
  }
}
