package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.request.Refusal;
import java.io.IOException;
import java.util.concurrent.ConcurrentMap;
import org.apache.hadoop.hbase.UnknownScannerException;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hbase.thirdparty.com.google.common.collect.MapMaker;
import org.jspecify.annotations.Nullable;

/**
 * Table of a region's scanners, from the hook before their opening to their end. The scanner
 * objects remain those of HBase and earlier observers: an authorizer identifies a scanner's owner
 * by its object. As this observer is the last one, the scanner passed to it at the opening is the
 * one that HBase keeps and passes at each batch.
 *
 * <p>Keys are compared by identity and held weakly. So no entry may refer to its key.
 */
final class ScannerBook {

  /** A scan without checks after a batch. */
  static final Opening UNCHECKED = scanner -> null;

  /** Admitted scans whose scanners are not open yet. */
  private final ConcurrentMap<Scan, Opening> admitted = new MapMaker().weakKeys().makeMap();

  private final ConcurrentMap<InternalScanner, Opened> scanners =
      new MapMaker().weakKeys().makeMap();

  private final boolean isOwned;

  /** Second step for an admitted scan, when its scanner is open. */
  @FunctionalInterface
  interface Opening {
    /** Returns the checks after each batch; null = none. */
    @Nullable Checked opened(RegionScanner scanner);
  }

  /**
   * Checks after each batch of a scan.
   *
   * @param forPlainClient whether the reader is a plain HBase client
   * @param atRest fails unless the families are as they were before the scan; null = not needed
   */
  record Checked(long snapshot, boolean forPlainClient, @Nullable Runnable atRest) {}

  /**
   * An open scanner.
   *
   * @param owner user who opened it in a call; else null
   */
  private record Opened(@Nullable Checked checked, @Nullable String owner) {}

  /**
   * @param isOwned whether scanners belong to the users who opened them
   */
  ScannerBook(boolean isOwned) {
    this.isOwned = isOwned;
  }

  /** Records the admission of a scan. */
  void admit(Scan scan, Opening opening) {
    admitted.put(scan, opening);
  }

  /**
   * Records the scanner of a scan.
   *
   * @throws Refused if the scan was not admitted
   */
  void open(Scan scan, RegionScanner scanner) throws IOException {
    Opening opening = admitted.remove(scan);
    try {
      if (opening == null) {
        throw Refused.because(
            Refusal.Code.INTERNAL, "another observer has put a scan in the place of ours");
      }
      String owner = isOwned ? RpcServer.getRequestUserName().orElse(null) : null;
      scanners.put(scanner, new Opened(opening.opened(scanner), owner));
    } catch (RuntimeException e) {
      // HBase before 2.6.4 leaves it open, and would never free its resources.
      scanner.close();
      throw e;
    }
  }

  /** Refuses a scanner to users other than its owner, as HBase's authorizer does. */
  void requireOwner(InternalScanner scanner) throws IOException {
    if (!isOwned || !RpcServer.isInRpcCallContext()) {
      return;
    }
    Opened opened = scanners.get(scanner);
    String user = RpcServer.getRequestUserName().orElse(null);
    if (opened != null && opened.owner() != null && !opened.owner().equals(user)) {
      throw new AccessDeniedException("not the owner of the scanner, user=" + user);
    }
  }

  /**
   * Returns the checks after a batch; null = none.
   *
   * @throws UnknownScannerException if the scanner was opened before this observer was loaded
   */
  @Nullable Checked checked(InternalScanner scanner) throws IOException {
    Opened opened = scanners.get(scanner);
    if (opened == null) {
      throw new UnknownScannerException("scanner is older than the observer of its region");
    }
    return opened.checked();
  }
}
