package io.lampone.simulation.mutant;

import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.simulation.hbase.PassingGuards;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/** Region servers that believe what clients say of transactions. */
final class ProofMutants {

  private ProofMutants() {}

  static List<Mutant> all() {
    List<Mutant> all = new ArrayList<>(proofs());
    all.addAll(fates());
    all.addAll(replays());
    all.addAll(replayedFates());
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

  /** Verdicts that are remembered by the tag alone, and not by what it was shown for. */
  private static List<Mutant> replays() {
    return List.of(
        remembering(
            "a grant that was verified is believed for any transaction",
            "A17",
            (real, verified) ->
                new PassingGuards(real) {
                  @Override
                  public void requireOwner(long start, Proof proof) {
                    if (proof instanceof Grant grant && !verified.contains(grant.secret())) {
                      super.requireOwner(start, proof);
                      verified.add(grant.secret());
                    } else if (!(proof instanceof Grant)) {
                      super.requireOwner(start, proof);
                    }
                  }
                }),
        remembering(
            "a statement of the transaction manager that was verified is believed for any commit",
            "A18",
            (real, verified) ->
                new PassingGuards(real) {
                  @Override
                  public void requirePassed(long start, long commit, Tag pass) {
                    if (!verified.contains(pass)) {
                      super.requirePassed(start, commit, pass);
                      verified.add(pass);
                    }
                  }
                }));
  }

  private static List<Mutant> replayedFates() {
    return List.of(
        remembering(
            "a fate that was verified is believed of any leader",
            "A20",
            (real, verified) ->
                new PassingGuards(real) {
                  @Override
                  public void requireFate(TransactionId id, Fate fate) {
                    if (!verified.contains(fate.tag())) {
                      super.requireFate(id, fate);
                    }
                  }

                  @Override
                  public Outcome stated(TransactionId id, Outcome leader) {
                    Outcome stated = super.stated(id, leader);
                    if (!stated.tag().equals(Tag.NONE)) {
                      verified.add(stated.tag());
                    }
                    return stated;
                  }
                }),
        remembering(
            "a shade that was verified is believed of any timestamp",
            "A24",
            (real, verified) ->
                new PassingGuards(real) {
                  @Override
                  public void requireIssued(long timestamp, IssueProof proof) {
                    if (!(proof instanceof IssueProof.Begun begun)) {
                      super.requireIssued(timestamp, proof);
                      return;
                    }
                    Tag shown = new Tag(begun.shade(), 0);
                    if (!verified.contains(shown)) {
                      super.requireIssued(timestamp, proof);
                      if (Proofs.OPEN.verify(proof) == Proofs.Verdict.VALID) {
                        verified.add(shown);
                      }
                    }
                  }
                }));
  }

  private static Mutant remembering(
      String name, String trap, BiFunction<RegionGuards, Set<Tag>, RegionGuards> change) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              private final Set<Tag> verified = new HashSet<>();

              @Override
              public RegionGuards guards(RegionGuards guards) {
                return change.apply(guards, verified);
              }
            });
  }

  private static TransactionId anywhere(TransactionId id) {
    return new TransactionId(
        id.startTimestamp(), new RowFamily("anywhere", Bytes.EMPTY, Bytes.EMPTY));
  }
}
