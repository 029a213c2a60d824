package io.lampone.simulation.mutant;

import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.coprocessor.core.retention.CollectionScope;
import io.lampone.coprocessor.core.retention.RetentionDecision;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.simulation.hbase.Collecting;
import io.lampone.simulation.hbase.PassingGuards;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Mistakes in the collection of what is not needed any more. */
final class CollectionMutants {

  private CollectionMutants() {}

  static List<Mutant> all() {
    return List.of(
        head(
            "versions are judged by start timestamp",
            "C1",
            (version, cell) ->
                cell.state().isCommitted()
                    ? cell.withState(cell.state(), version + Timestamps.TICK)
                    : cell),
        head(
            "a leader goes before it is FINAL",
            "A7",
            (version, cell) ->
                cell.state() == TransactionState.COMMITTED && cell.isLeader()
                    ? cell.withState(TransactionState.FINAL, cell.commitTimestamp())
                    : cell),
        collecting("freezing looks at the start timestamp", "H8", FreezesByStart::new),
        collecting("what is overwritten above the safe point goes", "C1", DropsOverwritten::new),
        collecting("an aborted leader goes above the safe point", "M7", DropsAborted::new),
        collecting(
            "some of the files are taken for all",
            "C2",
            scope ->
                new Collecting(
                    new CollectionScope(
                        scope.safePoint(), true, scope.readPoint(), scope.retention()))),
        Mutant.guard(
            "a read at the safe point is refused",
            "B7",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireReadable(long snapshot) {
                    super.requireReadable(snapshot - Timestamps.TICK);
                  }
                }),
        Mutant.guard(
            "reads below the safe point are answered",
            "B7, M12",
            real ->
                new PassingGuards(real) {
                  @Override
                  public void requireReadable(long snapshot) {}
                }));
  }

  /** Change of a transaction cell before the collector sees it. */
  private interface Change {
    TransactionCell of(long version, TransactionCell cell);
  }

  private static Mutant head(String name, String trap, Change change) {
    return collecting(
        name,
        trap,
        scope ->
            new Collecting(scope) {
              @Override
              public void head(StoredCell cell, long sequence) {
                super.head(
                    isTransaction(cell)
                        ? new ChangedRow.Cell(
                            cell,
                            change
                                .of(cell.version(), TransactionCell.decode(cell.value()))
                                .encode(),
                            true)
                        : cell,
                    sequence);
              }
            });
  }

  private static boolean isTransaction(StoredCell cell) {
    return cell.isAt(Reserved.TRANSACTION) && Timestamps.needsTransactionCell(cell.version());
  }

  private static Mutant collecting(
      String name, String trap, Function<CollectionScope, Collecting> made) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public Collecting collecting(CollectionScope scope) {
                return made.apply(scope);
              }
            });
  }

  /** Mutant that freezes what began below the safe point and is done. */
  private static final class FreezesByStart extends Collecting {

    private final CollectionScope scope;
    private final Set<Long> done = new HashSet<>();

    FreezesByStart(CollectionScope scope) {
      super(scope);
      this.scope = scope;
    }

    @Override
    public void beginRow() {
      super.beginRow();
      done.clear();
    }

    @Override
    public void head(StoredCell cell, long sequence) {
      super.head(cell, sequence);
      if (isTransaction(cell) && scope.complete() && cell.version() < scope.safePoint()) {
        TransactionCell decoded = TransactionCell.decode(cell.value());
        boolean finished =
            decoded.state() == TransactionState.FINAL
                || decoded.state() == TransactionState.COMMITTED && !decoded.isLeader();
        if (finished && decoded.deletedColumns().isEmpty()) {
          done.add(cell.version());
        }
      }
    }

    @Override
    public RetentionDecision dispose(StoredCell cell, long sequence) {
      RetentionDecision chosen = super.dispose(cell, sequence);
      if (chosen != RetentionDecision.KEEP || !done.contains(Timestamps.tick(cell.version()))) {
        return chosen;
      }
      return cell.isAt(Reserved.TRANSACTION) ? RetentionDecision.DROP : RetentionDecision.FREEZE;
    }
  }

  /**
   * Mutant that drops what a newer commit hides, though snapshots from the safe point on are below
   * it.
   */
  private static final class DropsOverwritten extends Collecting {

    private final CollectionScope scope;

    /** By start timestamp. */
    private final Map<Long, Long> commits = new HashMap<>();

    /** Columns of which something newer has committed; versions come newest first. */
    private final Set<Bytes> overwritten = new HashSet<>();

    DropsOverwritten(CollectionScope scope) {
      super(scope);
      this.scope = scope;
    }

    @Override
    public void beginRow() {
      super.beginRow();
      commits.clear();
      overwritten.clear();
    }

    @Override
    public void head(StoredCell cell, long sequence) {
      super.head(cell, sequence);
      if (isTransaction(cell)) {
        TransactionCell decoded = TransactionCell.decode(cell.value());
        if (decoded.state().isCommitted()) {
          commits.put(cell.version(), decoded.commitTimestamp());
        }
      }
    }

    @Override
    public RetentionDecision dispose(StoredCell cell, long sequence) {
      RetentionDecision chosen = super.dispose(cell, sequence);
      if (Reserved.isReserved(cell.qualifier())) {
        return chosen;
      }
      long commit =
          Timestamps.needsTransactionCell(cell.version())
              ? commits.getOrDefault(Timestamps.tick(cell.version()), 0L)
              : cell.version();
      boolean isHidden = commit != 0 && !overwritten.add(cell.qualifier());
      return isHidden && commit >= scope.safePoint() ? RetentionDecision.DROP : chosen;
    }
  }

  /** Cells of aborted transactions go, whenever they began. */
  private static final class DropsAborted extends Collecting {

    private final Set<Long> aborted = new HashSet<>();

    DropsAborted(CollectionScope scope) {
      super(scope);
    }

    @Override
    public void beginRow() {
      super.beginRow();
      aborted.clear();
    }

    @Override
    public void head(StoredCell cell, long sequence) {
      super.head(cell, sequence);
      if (isTransaction(cell)
          && TransactionCell.decode(cell.value()).state() == TransactionState.ABORTED) {
        aborted.add(cell.version());
      }
    }

    @Override
    public RetentionDecision dispose(StoredCell cell, long sequence) {
      return Timestamps.needsTransactionCell(cell.version())
              && aborted.contains(Timestamps.tick(cell.version()))
          ? RetentionDecision.DROP
          : super.dispose(cell, sequence);
    }
  }
}
