package io.lampone.simulation.mutant;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fastpath.FastRegion;
import io.lampone.coprocessor.core.fastpath.FencedAttempts;
import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.coprocessor.core.fence.RegionFence;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.intent.KnownRows;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.simulation.hbase.AsIfKnown;
import io.lampone.simulation.hbase.FastReadSteps;
import io.lampone.simulation.hbase.PassingGuards;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Mistakes that a region server could make. */
final class RegionMutants {

  private RegionMutants() {}

  static List<Mutant> all() {
    List<Mutant> all = new ArrayList<>(guards());
    all.addAll(ProofMutants.all());
    all.addAll(timestamps());
    all.addAll(rows());
    all.addAll(openings());
    all.addAll(identities());
    all.add(
        new Mutant(
            "a commit timestamp is written and the clock does not hear of it",
            "H1",
            plan ->
                new Parts(plan) {
                  @Override
                  public LocalVersionClock clockOfStates(LocalVersionClock clock) {
                    return new LocalVersionClock();
                  }
                }));
    all.add(
        new Mutant(
            "superseded attempts are forgotten",
            "E4",
            plan ->
                new Parts(plan) {
                  @Override
                  public FastRegion fastRegion(FastRegion region, Clock clock) {
                    return new FastRegion(
                        region.clock(),
                        region.inFlight(),
                        region.recent(),
                        region.settled(),
                        region.known(),
                        new FencedAttempts(clock));
                  }
                }));
    all.add(
        new Mutant(
            "regular writers do not hear of what is drawn on rows that they do not read",
            "E6",
            plan ->
                new Parts(plan) {
                  @Override
                  public FastRegion fastRegion(FastRegion region, Clock clock) {
                    return new FastRegion(
                        region.clock(),
                        region.inFlight(),
                        region.recent(),
                        region.settled(),
                        new KnownRows().regionOpened(),
                        region.fencedAttempts());
                  }
                }));
    all.add(
        new Mutant(
            "reads do not wait for writes that have drawn",
            "E1",
            plan ->
                new Parts(plan) {
                  @Override
                  public boolean waitsForWrites() {
                    return false;
                  }
                }));
    all.add(sharedRoom());
    return all;
  }

  private static Mutant sharedRoom() {
    return new Mutant(
        "operations in doubt of all users share one room",
        "A30",
        plan ->
            new Parts(plan) {
              @Override
              public String user(String client) {
                return "";
              }
            });
  }

  private static List<Mutant> identities() {
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
        new Mutant(
            "a row that is the leader's by key and family is the leader, whatever its table",
            "A3",
            plan ->
                new Parts(plan) {
                  @Override
                  public TableRules tableRules(RegionRequest request, TableRules rules) {
                    return request instanceof Flush flush
                        ? new TableRules(
                            flush.leader().table(),
                            rules.level(),
                            rules.floor(),
                            rules.maxCellBytes())
                        : rules;
                  }
                }),
        new Mutant(
            "a fast read passes over intents below what it shows",
            "E5",
            plan ->
                new Parts(plan) {
                  @Override
                  public FastReadSteps fastReads() {
                    return new FastReadSteps() {
                      @Override
                      public StoredRow stored(FastReadRequest request, StoredRow row) {
                        boolean plain = !request.wantsAllIntents() && !request.wantsVersion();
                        return plain ? withoutIntents(row) : row;
                      }
                    };
                  }
                }));
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

  private static List<Mutant> openings() {
    return List.of(
        new Mutant(
            "a first attempt is carried out by an opening that its session cannot have known of",
            "E4",
            plan ->
                new Parts(plan) {
                  @Override
                  public RegionRequest fastRequest(
                      RegionRequest request, RegionGuards guards, LocalVersionClock clock) {
                    return AsIfKnown.upTo(clock.current(), guards.safePoint(), request);
                  }
                }),
        row(
            "a one-region commit overlooks intents in what it has read",
            "Z10",
            (request, stored) ->
                request instanceof OneRegionCommit && !request.rows().contains(stored.key())
                    ? withoutIntents(stored)
                    : stored),
        new Mutant(
            "a one-region commit does not look at what it has read",
            "Z11",
            plan ->
                new Parts(plan) {
                  @Override
                  public RegionRequest fastRequest(
                      RegionRequest request, RegionGuards guards, LocalVersionClock clock) {
                    return request instanceof OneRegionCommit commit
                        ? commit.withReads(List.of())
                        : request;
                  }
                }),
        new Mutant(
            "ticks of an epoch whose record the server has not read are taken",
            "H10",
            plan ->
                new Parts(plan) {
                  @Override
                  public long epochOfTicks(long epoch, Fences fences) {
                    return Math.min(
                        epoch, fences.manager().map(ManagerRecord::epoch).orElse(epoch));
                  }
                }),
        new Mutant(
            "a region that was opened serves with what its server had read before",
            "M2",
            plan ->
                new Parts(plan) {
                  private final Map<Fences, RegionFence> first = new HashMap<>();

                  @Override
                  public RegionFence fence(Fences fences) {
                    return first.computeIfAbsent(fences, Fences::regionOpened);
                  }
                }),
        guard(
            "intents are not looked at again when they are visible",
            "M1",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireStillAdmissible(long start, long tableFloor) {}
                }));
  }

  private static List<Mutant> timestamps() {
    return List.of(
        guard(
            "a timestamp is believed with any shade",
            "A24",
            real -> new BelievingGuards(real, IssueProof.Begun.class::isInstance)),
        guard(
            "a timestamp is believed with any mark",
            "A25",
            real -> new BelievingGuards(real, IssueProof.Marked.class::isInstance)),
        guard(
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

  private static List<Mutant> guards() {
    return List.of(
        guard(
            "the floor fences nobody",
            "M1, M2",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireAdmissible(long start, long tableFloor) {}

                  @Override
                  public void requireStillAdmissible(long start, long tableFloor) {}
                }),
        guard(
            "versions are drawn before a tick has come since the opening",
            "H3, H4",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireDrawing() {}
                }),
        guard(
            "the clock is raised after the read",
            "E7",
            real ->
                new PassingGuards(real) {
                  private long later;

                  @Override
                  public void bump(long timestamp) {
                    later = Math.max(later, timestamp);
                  }

                  @Override
                  public void requireSession() {
                    super.bump(later);
                    super.requireSession();
                  }
                }),
        guard(
            "a server need not prove its session",
            "H11",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireSession() {}
                }));
  }

  private static List<Mutant> rows() {
    return List.of(
        row(
            "a writer overlooks what was committed at birth",
            "E6",
            (request, stored) ->
                request instanceof Flush
                    ? new ChangedRow(stored) {
                      @Override
                      boolean overlooks(StoredCell cell) {
                        return Timestamps.isCommittedAtBirth(cell.version());
                      }
                    }
                    : stored),
        row(
            "a late duplicate of intents does not see the decision",
            "A5",
            (request, stored) ->
                request instanceof Flush flush
                    ? new ChangedRow(stored) {
                      @Override
                      boolean overlooks(StoredCell cell) {
                        return Timestamps.tick(cell.version()) == flush.startTimestamp();
                      }
                    }
                    : stored),
        new Mutant(
            "the number of a flush does not count",
            "R1",
            plan ->
                new Parts(plan) {
                  /** Flushes that have arrived, duplicates among them. */
                  private long arrived;

                  @Override
                  public RegionRequest regularRequest(
                      RegionRequest request, Function<Bytes, StoredRow> row) {
                    return request instanceof Flush flush ? numbered(flush, ++arrived) : request;
                  }
                }),
        row(
            "the commit demands no PENDING of its own",
            "A3",
            (request, stored) -> request instanceof CommitLeader ? alwaysPending(stored) : stored),
        row(
            "an abort demands no PENDING",
            "B1",
            (request, stored) -> request instanceof AbortLeader ? alwaysPending(stored) : stored),
        row(
            "the fast path overlooks intents",
            "E5",
            (request, stored) ->
                request instanceof FastWrite || request instanceof OneRegionCommit
                    ? withoutIntents(stored)
                    : stored),
        row(
            "a repetition does not find the id of its operation",
            "E4",
            (request, stored) ->
                new ChangedRow(stored) {
                  @Override
                  boolean seesIds() {
                    return false;
                  }
                }));
  }

  private static StoredRow alwaysPending(StoredRow stored) {
    return new ChangedRow(stored) {
      @Override
      byte[] value(StoredCell cell) {
        return cell.isAt(Reserved.TRANSACTION) && Timestamps.needsTransactionCell(cell.version())
            ? TransactionCell.decode(cell.value()).withState(TransactionState.PENDING, 0).encode()
            : cell.value();
      }
    };
  }

  private static Flush numbered(Flush flush, long number) {
    return new Flush(
        flush.startTimestamp(),
        flush.floor(),
        flush.level(),
        flush.leader(),
        number,
        flush.intents(),
        flush.grant());
  }

  private static StoredRow withoutIntents(StoredRow stored) {
    List<List<Object>> intents = new ArrayList<>();
    try {
      stored.visit(
          new StoredRow.Selection(
              stored.families(), List.of(Reserved.TRANSACTION), 0, Long.MAX_VALUE - 1),
          cell -> {
            if (TransactionCell.decode(cell.value()).state() == TransactionState.PENDING) {
              intents.add(intent(cell.family(), cell.version()));
            }
            return StoredRow.Next.VERSION;
          });
    } catch (java.io.IOException e) {
      throw new IllegalStateException("a simulated row can always be read", e);
    }
    return new ChangedRow(stored) {
      @Override
      boolean overlooks(StoredCell cell) {
        return Timestamps.needsTransactionCell(cell.version())
            && intents.contains(intent(cell.family(), Timestamps.tick(cell.version())));
      }
    };
  }

  private static List<Object> intent(Bytes family, long start) {
    return List.of(family, start);
  }

  static Mutant guard(String name, String trap, UnaryOperator<RegionGuards> change) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public RegionGuards guards(RegionGuards guards) {
                return change.apply(guards);
              }
            });
  }

  private static Mutant row(
      String name, String trap, BiFunction<RegionRequest, StoredRow, StoredRow> change) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public StoredRow row(RegionRequest request, StoredRow row) {
                return change.apply(request, row);
              }
            });
  }
}
