package io.lampone.embedded;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * Complete Lampone in this JVM: {@link EmbeddedHBase}, and a transaction manager on its ZooKeeper.
 * The region servers load the coprocessor from this JVM's class path; table descriptors name it.
 *
 * <p>All of it restarts on the same folder, after {@link #close} as well as after {@code kill -9}.
 *
 * <p>Thread-safe.
 */
public final class EmbeddedLampone implements AutoCloseable {

  private final EmbeddedHBase hbase;
  private final EmbeddedManager manager;

  private EmbeddedLampone(EmbeddedHBase hbase, EmbeddedManager manager) {
    this.hbase = hbase;
    this.manager = manager;
  }

  /**
   * Starts everything and returns when transactions can begin.
   *
   * @throws EmbeddedStartException if the start fails; all processes have then ended
   */
  public static EmbeddedLampone start(EmbeddedHBaseConfig config) throws IOException {
    EmbeddedHBase hbase = EmbeddedHBase.start(config);
    try {
      return new EmbeddedLampone(hbase, EmbeddedManager.start(hbase));
    } catch (IOException | RuntimeException e) {
      closeUninterrupted(hbase);
      throw e;
    }
  }

  /** Returns the underlying HBase cluster. */
  public EmbeddedHBase hbase() {
    return hbase;
  }

  /** Returns the address of the transaction manager as {@code host:port}. */
  public String managerAddress() {
    return manager.address();
  }

  /** Returns the counts of the transaction manager's replies to all clients. For measurements. */
  public ManagerAnswers managerAnswers() {
    return manager.answers();
  }

  /**
   * Raises the safe point to {@code timestamp}, or to the oldest held snapshot: older ones are
   * refused from now on, and versions that only they can see may be collected. For tests and
   * measurements.
   *
   * @return the published safe point; it reaches the region servers a little later
   */
  public CompletableFuture<Long> advanceSafePoint(long timestamp) {
    return manager.advanceSafePoint(timestamp);
  }

  /** Returns the settings for clients of this cluster; the caller may change its copy. */
  public Configuration configuration() {
    return hbase.configuration();
  }

  /** Returns the settings with which a client in another process connects to this cluster. */
  public Configuration clientConfiguration() {
    Configuration all = hbase.configuration();
    Configuration few = new Configuration(false);
    for (String name :
        List.of(
            "hbase.zookeeper.quorum",
            "hbase.zookeeper.property.clientPort",
            "hbase.client.registry.impl")) {
      few.set(name, all.get(name));
    }
    return few;
  }

  /**
   * Returns the pending intents of a table's regions at this moment, read below the coprocessor:
   * the ones that readers must resolve. For tests and demonstrations.
   */
  public List<PendingIntent> pendingIntents(TableName table) throws IOException {
    List<PendingIntent> found = new ArrayList<>();
    for (HRegion region : regions(table)) {
      collect(region, found);
    }
    return List.copyOf(found);
  }

  /** Returns the contents of a table's regions at this moment. For tests and measurements. */
  public StoredTable stored(TableName table) throws IOException {
    return StoredTable.of(regions(table));
  }

  /** Flushes the regions of a table and compacts all their files; returns when that is done. */
  public void compact(TableName table) throws IOException {
    for (HRegion region : regions(table)) {
      region.flush(true);
      region.compact(true);
    }
  }

  private List<HRegion> regions(TableName table) {
    List<HRegion> regions = new ArrayList<>();
    for (int number = 0; number < hbase.regionServerCount(); number++) {
      if (hbase.isAlive(number)) {
        regions.addAll(hbase.regionServer(number).getRegions(table));
      }
    }
    return regions;
  }

  /**
   * PENDING transaction cell.
   *
   * @param row row key, printable
   * @param startTimestamp its transaction
   */
  public record PendingIntent(String row, long startTimestamp) {}

  /**
   * Stops the transaction manager, then HBase. In this order, because the manager releases its
   * lease through ZooKeeper, so that the next start need not wait for its expiry, and because
   * closing regions sends no requests to the manager. Further calls have no effect.
   */
  @Override
  public void close() {
    try {
      manager.close();
    } finally {
      closeUninterrupted(hbase);
    }
  }

  /** Closes even in an interrupted thread: data would be safe, but ports would stay bound. */
  private static void closeUninterrupted(EmbeddedHBase hbase) {
    boolean interrupted = Thread.interrupted();
    try {
      hbase.close();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void collect(HRegion region, List<PendingIntent> found) throws IOException {
    Scan scan = new Scan().readAllVersions();
    try (RegionScanner rows = region.getScanner(scan)) {
      List<Cell> cells = new ArrayList<>();
      boolean more = true;
      while (more) {
        cells.clear();
        more = rows.next(cells);
        for (Cell cell : cells) {
          if (isPending(cell)) {
            found.add(
                new PendingIntent(
                    Bytes.wrap(CellUtil.cloneRow(cell)).toString(), cell.getTimestamp()));
          }
        }
      }
    }
  }

  private static boolean isPending(Cell cell) {
    if (!CellUtil.matchingQualifier(cell, Reserved.TRANSACTION.toArray())) {
      return false;
    }
    try {
      return TransactionCell.decode(CellUtil.cloneValue(cell)).state() == TransactionState.PENDING;
    } catch (MalformedException e) {
      throw new IllegalStateException("not a transaction cell: " + cell, e);
    }
  }
}
