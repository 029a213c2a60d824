package io.lampone.simulation.mutant;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fastpath.FastReading;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.visibility.LatestView;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.simulation.hbase.FastReadSteps;
import io.lampone.simulation.hbase.PassingGuards;
import io.lampone.simulation.hbase.RegionReads;
import io.lampone.simulation.hbase.RowView;
import java.io.IOException;
import java.util.List;
import java.util.function.UnaryOperator;

/** Mistakes with reads of transactions without a snapshot (ADR 95). */
final class LatestMutants {

  private LatestMutants() {}

  static List<Mutant> all() {
    return List.of(
        Mutant.fastRead(
            "the end of an interval is the clock after the look",
            "ADR 95",
            new FastReadSteps() {
              @Override
              public long endOfInterval(long end, LocalVersionClock clock) {
                return clock.current();
              }
            }),
        row(
            "a read of an interval does not wait for writes that have drawn",
            "E1",
            real ->
                new Passing(real) {
                  @Override
                  public void raise(long snapshot) {
                    // what has drawn may still be invisible
                  }
                }),
        Mutant.fastRead(
            "an interval begins below the safe point",
            "ADR 95",
            new FastReadSteps() {
              @Override
              public RegionGuards guardsOfInterval(RegionGuards guards) {
                return new PassingGuards(guards) {
                  @Override
                  public long safePoint() {
                    return 0;
                  }
                };
              }
            }),
        row(
            "a read of an interval passes over undecided intents",
            "ADR 95",
            real ->
                new Passing(real) {
                  @Override
                  public RowView look(ReadView view) throws IOException {
                    real.look(view);
                    return real.look(new LatestView(0));
                  }
                }),
        row(
            "an interval covers the columns of one family only",
            "ADR 95",
            real ->
                new Passing(real) {
                  @Override
                  public RowView look(ReadView view) throws IOException {
                    RowView all = real.look(LatestView.pointing(0));
                    ((RegionReads.WholeRow) real).lookAtFirstFamily(view);
                    return all;
                  }
                }));
  }

  private static Mutant row(
      String name, String trap, UnaryOperator<FastReading.Row<RowView>> change) {
    return Mutant.fastRead(
        name,
        trap,
        new FastReadSteps() {
          @Override
          public FastReading.Row<RowView> rowOfInterval(FastReading.Row<RowView> row) {
            return change.apply(row);
          }
        });
  }

  /** A row as it is. */
  private static class Passing implements FastReading.Row<RowView> {

    private final FastReading.Row<RowView> real;

    Passing(FastReading.Row<RowView> real) {
      this.real = real;
    }

    @Override
    public void raise(long snapshot) {
      real.raise(snapshot);
    }

    @Override
    public RowView look(ReadView view) throws IOException {
      return real.look(view);
    }

    @Override
    public long version() throws IOException {
      return real.version();
    }

    @Override
    public long clock() {
      return real.clock();
    }

    @Override
    public boolean isLookedAtOnce() {
      return real.isLookedAtOnce();
    }
  }
}
