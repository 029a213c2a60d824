package io.lampone.simulation.mutant;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.trust.Proofs;
import io.lampone.simulation.manager.PassingManager;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Mistakes with start timestamps that are handed out ahead of need. */
final class SessionMutants {

  /** Length of the stretch by which a block is misplaced. */
  private static final long SHIFT = 4096 * Timestamps.TICK;

  private SessionMutants() {}

  static List<Mutant> all() {
    return List.of(
        new Mutant(
            "a session begins below its mark",
            "3.5",
            plan ->
                new Parts(plan) {
                  @Override
                  public long sessionMark(long mark) {
                    return 0;
                  }
                }),
        Mutant.manager(
            "start timestamps at hand have not been issued",
            "3.5",
            real ->
                answering(
                    real,
                    block ->
                        new StartBlock(
                            block.watermark() + 2 * SHIFT,
                            block.floor(),
                            block.first() + SHIFT,
                            block.count(),
                            Proofs.OPEN.grant(
                                block.first() + SHIFT, Math.max(0, block.count() - 1))))),
        new Mutant(
            "start timestamps at hand have been given to another client",
            "3.5",
            plan ->
                new Parts(plan) {
                  private Optional<StartBlock> last = Optional.empty();

                  @Override
                  public TransactionManager manager(TransactionManager manager) {
                    return answering(manager, this::again);
                  }

                  /** Returns each block twice. */
                  private StartBlock again(StartBlock block) {
                    Optional<StartBlock> before = last;
                    last = before.isPresent() ? Optional.empty() : Optional.of(block);
                    return before
                        .map(
                            old ->
                                new StartBlock(
                                    old.last(), old.floor(), old.first(), old.count(), old.grant()))
                        .orElse(block);
                  }
                }));
  }

  private static TransactionManager answering(
      TransactionManager manager, UnaryOperator<StartBlock> change) {
    return new PassingManager(manager) {
      @Override
      public CompletableFuture<StartBlock> progress(ProgressReport report) {
        return super.progress(report).thenApply(change);
      }
    };
  }
}
