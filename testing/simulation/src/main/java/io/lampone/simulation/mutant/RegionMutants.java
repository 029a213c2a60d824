package io.lampone.simulation.mutant;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.coprocessor.core.fence.RegionFence;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.simulation.hbase.PassingGuards;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** Mistakes that a region server could make with intents and openings. */
final class RegionMutants {

  private RegionMutants() {}

  static List<Mutant> all() {
    return Stream.of(guards(), openings(), intents(), commits()).flatMap(List::stream).toList();
  }

  private static List<Mutant> guards() {
    return List.of(
        Mutant.guard(
            "the floor fences no transaction",
            "M1, M2",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireAdmissible(long start, long tableFloor) {}

                  @Override
                  public void requireStillAdmissible(long start, long tableFloor) {}
                }),
        Mutant.guard(
            "versions are drawn before a tick has come since the opening",
            "H3, H4",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireDrawing() {}
                }),
        Mutant.guard(
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
        Mutant.guard(
            "a server need not prove its session",
            "H11",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireSession() {}
                }),
        Mutant.guard(
            "intents are not looked at again when they are visible",
            "M1",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireStillAdmissible(long start, long tableFloor) {}
                }));
  }

  private static List<Mutant> openings() {
    return List.of(
        new Mutant(
            "a commit timestamp is written and the clock does not hear of it",
            "H1",
            plan ->
                new Parts(plan) {
                  @Override
                  public LocalVersionClock clockOfStates(LocalVersionClock clock) {
                    return new LocalVersionClock();
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
                }));
  }

  private static List<Mutant> intents() {
    return List.of(
        Mutant.row(
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
        Mutant.row(
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
                }));
  }

  private static List<Mutant> commits() {
    return List.of(
        Mutant.row(
            "the commit demands no PENDING of its own",
            "A3",
            (request, stored) -> request instanceof CommitLeader ? alwaysPending(stored) : stored),
        Mutant.row(
            "an abort demands no PENDING",
            "B1",
            (request, stored) -> request instanceof AbortLeader ? alwaysPending(stored) : stored),
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
}
