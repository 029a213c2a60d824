package io.lampone.simulation.mutant;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.fastpath.FastRegion;
import io.lampone.coprocessor.core.fastpath.FencedAttempts;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.intent.KnownRows;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.time.Clock;
import io.lampone.simulation.hbase.FastReadSteps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Mistakes of a region server on the fast path. */
final class FastPathMutants {

  private FastPathMutants() {}

  static List<Mutant> all() {
    return Stream.of(attempts(), reads(), commits()).flatMap(List::stream).toList();
  }

  private static List<Mutant> attempts() {
    return List.of(
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
                }),
        new Mutant(
            "operations in doubt of all users share one room",
            "A30",
            plan ->
                new Parts(plan) {
                  @Override
                  public String user(String client) {
                    return "";
                  }
                }),
        new Mutant(
            "a first attempt is carried out by an opening that its session cannot have known of",
            "E4",
            plan ->
                new Parts(plan) {
                  @Override
                  public RegionRequest fastRequest(
                      RegionRequest request, RegionGuards guards, LocalVersionClock clock) {
                    return asIfKnown(clock.current(), guards.safePoint(), request);
                  }
                }),
        Mutant.row(
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

  private static Mutant heedless(String name, Parts.InFlight rule) {
    return new Mutant(
        name,
        "E1",
        plan ->
            new Parts(plan) {
              @Override
              public boolean heeds(InFlight each) {
                return each != rule;
              }
            });
  }

  private static List<Mutant> reads() {
    return List.of(
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
                        new KnownRows().regionOpened(new RecentVersions()),
                        region.fencedAttempts());
                  }
                }),
        heedless("reads do not wait for writes that have drawn", Parts.InFlight.READERS_WAIT),
        heedless("a write that fails after it was logged is forgotten", Parts.InFlight.DOUBTS_STAY),
        heedless("writers pass over a write in doubt", Parts.InFlight.WRITERS_WAIT),
        Mutant.fastRead(
            "a fast read passes over intents below what it shows",
            "E5",
            new FastReadSteps() {
              @Override
              public StoredRow stored(FastReadRequest request, StoredRow row) {
                boolean plain = !request.wantsAllIntents() && !request.wantsVersion();
                return plain ? withoutIntents(row) : row;
              }
            }));
  }

  private static List<Mutant> commits() {
    return List.of(
        Mutant.row(
            "the fast path overlooks intents",
            "E5",
            (request, stored) ->
                request instanceof FastWrite || request instanceof OneRegionCommit
                    ? withoutIntents(stored)
                    : stored),
        Mutant.row(
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
            "a one-region commit at level ROW looks for conflicts in its cells only",
            "H15",
            plan ->
                new Parts(plan) {
                  @Override
                  public TableRules tableRules(RegionRequest request, TableRules rules) {
                    return request instanceof OneRegionCommit
                        ? new TableRules(
                            rules.table(), ConflictLevel.CELL, rules.floor(), rules.maxCellBytes())
                        : rules;
                  }
                }));
  }

  /**
   * Returns first attempts as if their session had carried a higher mark when it sent them.
   *
   * @param mark raised mark of the first attempts
   * @param safePoint first attempts with a mark below it remain unchanged, and are refused
   */
  private static RegionRequest asIfKnown(long mark, long safePoint, RegionRequest request) {
    if (request instanceof FastWrite write) {
      List<FastOperation> operations =
          write.operations().stream()
              .map(
                  each ->
                      each.repeated() || each.firstMark() < safePoint
                          ? each
                          : each.withFirstMark(Math.max(each.firstMark(), mark)))
              .toList();
      return new FastWrite(write.floor(), write.mark(), write.atomic(), operations, write.issued());
    }
    return request instanceof OneRegionCommit commit && !commit.repeated()
        ? new OneRegionCommit(
            commit.startTimestamp(),
            commit.floor(),
            Math.max(commit.mark(), mark),
            commit.level(),
            false,
            commit.intents(),
            commit.grant(),
            commit.issued(),
            commit.reads(),
            commit.knownSchema())
        : request;
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
    } catch (IOException e) {
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
}
