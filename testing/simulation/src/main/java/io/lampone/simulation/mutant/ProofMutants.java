package io.lampone.simulation.mutant;

import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.simulation.hbase.PassingGuards;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Region servers that believe what clients say of transactions. */
final class ProofMutants {

  private ProofMutants() {}

  static List<Mutant> all() {
    return Stream.of(proofs(), fates(), replays(), replayedFates(), timestamps())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Mutant> proofs() {
    return List.of(
        new Mutant(
            "a heal counts for every cell of its start timestamp, also of another leader",
            "A14",
            plan ->
                new Parts(plan) {
                  @Override
                  public RegionRequest regularRequest(
                      RegionRequest request, Function<Bytes, StoredRow> row) {
                    return request instanceof Heal heal && heal.rows().size() == 1
                        ? believed(heal, row.apply(heal.rows().get(0)))
                        : request;
                  }
                }),
        Mutant.guard(
            "a flush needs no grant",
            "A17",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireOwner(long start, Proof proof) {}
                }),
        Mutant.guard(
            "a commit needs no statement of the transaction manager",
            "A18",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requirePassed(long start, long commit, Tag pass) {}
                }),
        Mutant.guard(
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
        Mutant.guard(
            "a heal needs no statement of its leader's server",
            "A20",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireFate(TransactionId id, Fate fate) {}
                }),
        Mutant.guard(
            "a judgment needs no statement of its leader's server",
            "A21",
            real ->
                new PassingGuards(real) {
                  @Override
                  public boolean isStated(TransactionId id, Fate fate) {
                    return true;
                  }
                }),
        Mutant.guard(
            "a leader states its commit without the statement that it rests on",
            "A28",
            real ->
                new PassingGuards(real) {
                  @Override
                  public boolean isProved(long start, TransactionCell leader) {
                    return true;
                  }
                }),
        Mutant.guard(
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
        Mutant.guard(
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

  private static List<Mutant> timestamps() {
    return List.of(
        Mutant.guard(
            "a timestamp is believed with any shade",
            "A24",
            real -> new BelievingGuards(real, IssueProof.Begun.class::isInstance)),
        Mutant.guard(
            "a timestamp is believed with any mark",
            "A25",
            real -> new BelievingGuards(real, IssueProof.Marked.class::isInstance)),
        Mutant.guard(
            "a timestamp below the bound is believed without a proof",
            "A26",
            real -> new BelievingGuards(real, IssueProof.NONE::equals)));
  }

  /** Does not check some proofs. */
  private static final class BelievingGuards extends PassingGuards {

    private final Predicate<IssueProof> believed;

    BelievingGuards(RegionGuards real, Predicate<IssueProof> believed) {
      super(real);
      this.believed = believed;
    }

    @Override
    public void requireIssued(long timestamp, IssueProof proof) {
      if (!believed.test(proof)) {
        super.requireIssued(timestamp, proof);
      }
    }
  }

  /** As if it named the leader that the first stored follower names. */
  private static Heal believed(Heal heal, StoredRow row) {
    List<RowFamily> leaders = new ArrayList<>();
    try {
      row.visit(
          StoredRow.Selection.exactly(row.families(), Reserved.TRANSACTION, heal.startTimestamp()),
          cell -> {
            TransactionCell.decode(cell.value()).leader().ifPresent(leaders::add);
            return StoredRow.Next.FAMILY;
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    long start = heal.startTimestamp();
    TransactionId shown = new TransactionId(start, heal.leader());
    if (leaders.isEmpty() || Proofs.OPEN.verifyFate(shown, heal.fate()) != Proofs.Verdict.VALID) {
      return heal;
    }
    TransactionId id = new TransactionId(start, leaders.get(0));
    long commit = heal.commitTimestamp();
    Fate fate = new Fate(commit, Proofs.OPEN.fate(id, commit));
    return new Heal(start, heal.floor(), heal.rows(), id.leader(), fate);
  }
}
