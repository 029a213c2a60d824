package io.lampone.simulation.mutant;

import io.lampone.client.core.ReadSet;
import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.range.RowPosition;
import io.lampone.client.core.range.RowRange;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.client.core.step.Step;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.trust.Fate;
import io.lampone.simulation.client.PassingStore;
import io.lampone.simulation.hbase.PassingGuards;
import io.lampone.simulation.hbase.RangeSteps;
import io.lampone.simulation.world.Schema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Mistakes that concern ranges that serializable transactions have scanned. */
final class RangeMutants {

  private RangeMutants() {}

  static List<Mutant> all() {
    return Stream.of(requests(), looks(), readSets()).flatMap(List::stream).toList();
  }

  private static List<Mutant> requests() {
    return List.of(
        new Mutant(
            "the certification of a range begins with what the scan has found out of intents",
            "Z31",
            plan ->
                new Parts(plan) {

                  private final Map<Long, Map<TransactionId, Fate>> judgments = new HashMap<>();

                  @Override
                  public void judged(long start, Map<TransactionId, Fate> judged) {
                    judgments.computeIfAbsent(start, s -> new HashMap<>()).putAll(judged);
                  }

                  @Override
                  public TransactionStore store(TransactionStore store) {
                    return new PassingStore(store) {
                      @Override
                      public Step<RangeFindings> certify(RangeCertification wanted) {
                        Map<TransactionId, Fate> known = new HashMap<>(wanted.judgments());
                        judgments
                            .getOrDefault(wanted.at().startTimestamp(), Map.of())
                            .forEach(known::putIfAbsent);
                        return super.certify(
                            new RangeCertification(wanted.at(), wanted.range(), known));
                      }
                    };
                  }
                }),
        looking(
            "at level CELL a search ends at the first commit below the snapshot",
            "Z35",
            new RangeSteps() {
              @Override
              public CertifyScan request(CertifyScan sent) {
                return sent.by(ConflictLevel.ROW);
              }
            }));
  }

  private static List<Mutant> looks() {
    return List.of(
        looking(
            "the certification of a range does not raise the clock",
            "Z4",
            new RangeSteps() {
              @Override
              public RegionGuards admittedBy(RegionGuards guards) {
                return new PassingGuards(guards) {
                  @Override
                  public void bump(long timestamp) {
                    // births below the commit timestamp may still come
                  }
                };
              }
            }),
        looking(
            "it passes over undecided intents",
            "Z8",
            new RangeSteps() {
              @Override
              public boolean points() {
                return false;
              }
            }));
  }

  private static List<Mutant> readSets() {
    return List.of(
        certifying("ranges are not certified", "Z8", range -> Optional.empty()),
        certifying(
            "a range ends before its last row",
            "Z8",
            range ->
                last(range)
                    .map(
                        row ->
                            range.of(
                                new RowRange(range.rows().from(), new RowPosition(row, false))))),
        Mutant.store(
            "a row in a range is not certified, whatever families the range is of",
            "R1",
            WithoutRows::new));
  }

  /** Certifies no row in a range. */
  private static final class WithoutRows extends PassingStore {

    /** By start timestamp. */
    private final Map<Long, List<ScannedRange>> ranges = new HashMap<>();

    WithoutRows(TransactionStore store) {
      super(store);
    }

    @Override
    public Step<RangeFindings> certify(RangeCertification wanted) {
      ranges
          .computeIfAbsent(wanted.at().startTimestamp(), s -> new ArrayList<>())
          .add(wanted.range());
      return super.certify(wanted);
    }

    /** Its ranges are asked for at the same time. */
    @Override
    public Step<Optional<Changed>> certify(Certification wanted) {
      return Step.pause(Duration.ofNanos(1))
          .then(
              waited ->
                  super.certify(
                      new Certification(
                          wanted.startTimestamp(),
                          wanted.commitTimestamp(),
                          wanted.floor(),
                          wanted.pass(),
                          wanted.points().stream()
                              .filter(point -> !isInRange(wanted, point))
                              .toList(),
                          wanted.deadlineNanos())));
    }

    private boolean isInRange(Certification wanted, ReadSet.Point point) {
      return ranges.getOrDefault(wanted.startTimestamp(), List.of()).stream()
          .anyMatch(
              range -> range.table().equals(point.table()) && range.rows().contains(point.row()));
    }
  }

  /** The last row of the simulator in a range. */
  private static Optional<Bytes> last(ScannedRange range) {
    return Schema.rows(Schema.mostRows()).stream()
        .filter(name -> Schema.table(name).equals(range.table()))
        .map(Schema::key)
        .filter(range.rows()::contains)
        .max(Comparator.naturalOrder());
  }

  private static Mutant looking(String name, String trap, RangeSteps steps) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public RangeSteps certifyingRanges() {
                return steps;
              }
            });
  }

  private static Mutant certifying(
      String name, String trap, Function<ScannedRange, Optional<ScannedRange>> change) {
    return Mutant.store(
        name,
        trap,
        real ->
            new PassingStore(real) {
              @Override
              public Step<RangeFindings> certify(RangeCertification wanted) {
                return change
                    .apply(wanted.range())
                    .map(
                        range ->
                            super.certify(
                                new RangeCertification(wanted.at(), range, wanted.judgments())))
                    .orElseGet(() -> Step.done(RangeFindings.UNCHANGED));
              }
            });
  }
}
