package io.lampone.client.hbase.admin;

import io.lampone.client.LamponeAdmin.TransactionalTable;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.IntentResolver;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.PostCommit;
import io.lampone.client.core.vote.Reserver;
import io.lampone.client.driver.TransactionManagerCalls;
import io.lampone.client.hbase.read.ScanSink;
import io.lampone.client.hbase.read.SnapshotScan;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.wire.Priority;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.Nullable;

/**
 * Reads tables from the first row to the last, which resolves and heals their intents of
 * transactions whose commit entries are about to be removed.
 *
 * <p>A table is read in parts, each at a separate snapshot: a large one takes longer than snapshots
 * are kept. The parts need no common snapshot: the intents in question are below all of these
 * snapshots, because the table of their leaders has no writers any more.
 */
final class ForeignIntentScan {

  /** Maximum time of reads at one snapshot; far less than the retention. */
  private static final Duration LONGEST_PART = Duration.ofSeconds(5);

  /** Maximum number of rows read at one snapshot. */
  private static final int ROWS_OF_A_PART = 10_000;

  private final StoreAccess access;
  private final Waiting waiting;
  private final RegionProgress progress;
  private final PostCommit healing;
  private final OpenTransaction.Services services;

  /**
   * @param services services of the transactions; the resolver and the post-commit work are
   *     replaced here
   */
  ForeignIntentScan(
      StoreAccess access,
      Waiting waiting,
      RegionProgress progress,
      TransactionManager manager,
      OpenTransaction.Services services) {
    this.access = access;
    this.waiting = waiting;
    this.progress = progress;
    this.healing = new PostCommit(services.store(), Integer.MAX_VALUE);
    this.services =
        new OpenTransaction.Services(
            services.store(),
            new IntentResolver(
                services.store(),
                new TransactionManagerCalls(manager.withPriority(Priority.SYSTEM)),
                healing),
            services.protocol(),
            healing,
            services.clock(),
            services.limits(),
            services.session(),
            services.oneRegion(),
            services.trace(),
            Reserver.NONE);
  }

  /** Reads the list of tables. */
  interface Tables {
    TableList list() throws IOException;
  }

  /**
   * Resolves and heals the intents in all tables but one. A table that was made plain meanwhile has
   * resolved its own before, and one that was dropped has none.
   */
  void resolveOutside(TableName gone, Tables tables, Snapshots snapshots) throws IOException {
    for (TableName other : names(tables)) {
      if (!other.equals(gone)) {
        try {
          resolve(other, snapshots);
        } catch (IOException e) {
          if (names(tables).contains(other)) {
            throw e;
          }
        }
      }
    }
    awaitHealed();
  }

  /** A table left out would keep intents that cannot be resolved any more. */
  private static List<TableName> names(Tables tables) throws IOException {
    TableList list = tables.list();
    list.requireReadable();
    return list.sound().stream().map(TransactionalTable::name).toList();
  }

  /** Resolves the intents of a table; they are healed in the background. */
  private void resolve(TableName table, Snapshots snapshots) throws IOException {
    RegionProgress.Pass pass = progress.pass("Resolving in other tables", table);
    Part part = new Part(access.clock());
    while (!part.isLast()) {
      Scan rest = new Scan();
      if (part.row != null) {
        rest.withStartRow(part.row, false);
      }
      part = new Part(access.clock());
      new SnapshotScan(access, snapshots.begin(services), table, rest, part).start();
      waiting.await(part.end);
      if (part.row != null) {
        pass.at(part.row);
      }
    }
    pass.done();
  }

  /** Waits until everything is healed. */
  private void awaitHealed() throws IOException {
    for (int tries = 0; healing.underWay() > 0; tries++) {
      waiting.await(access.driver().start(access.pause(tries)));
    }
    if (healing.failed() > 0) {
      throw new LamponeException(
          Code.STORE_UNAVAILABLE,
          0,
          "intents in other tables could not be healed: do it again, failed=" + healing.failed());
    }
  }

  /** Rows read at one snapshot; they are not kept. */
  static final class Part implements ScanSink {

    private final CompletableFuture<Boolean> end = new CompletableFuture<>();
    private final Clock clock;
    private final long begunNanos;
    private int rows;
    private boolean isFull;

    /** Last row so far; null = none. */
    private byte @Nullable [] row;

    Part(Clock clock) {
      this.clock = clock;
      this.begunNanos = clock.monotonicNanos();
    }

    /** Returns true if the part ended at the end of the table. */
    boolean isLast() {
      return end.isDone() && end.join();
    }

    @Override
    public boolean onNext(List<Result> results) {
      rows += results.size();
      row = results.get(results.size() - 1).getRow();
      isFull =
          rows >= ROWS_OF_A_PART || clock.monotonicNanos() - begunNanos >= LONGEST_PART.toNanos();
      return !isFull;
    }

    @Override
    public void onComplete() {
      end.complete(!isFull);
    }

    @Override
    public void onError(Throwable failure) {
      end.completeExceptionally(failure);
    }
  }
}
