package io.lampone.coprocessor;

import io.lampone.coprocessor.ScannerBook.Checked;
import io.lampone.coprocessor.certify.CertifyingFilter;
import io.lampone.coprocessor.core.fence.ReadAdmission;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.fence.TableGeneration;
import io.lampone.coprocessor.core.visibility.LatestView;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.coprocessor.write.PlainClientSupport;
import io.lampone.coprocessor.write.RequestGuards;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.trust.InspectionPass;
import io.lampone.protocol.trust.IssueProof;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.jspecify.annotations.Nullable;

/**
 * Reads at a snapshot (protocol page, section 4): turns a client's Get or Scan into one that reads
 * all versions through a {@link VisibilityFilter}, and checks afterwards that the answer holds. The
 * order of the checks is that of {@link ReadAdmission}.
 */
public final class SnapshotReads {

  private static final int NO_LIMIT = -1;

  /** value in a scan that is opened for the first time */
  private static final long NO_READ_POINT = -1;

  private final OpenRegion open;
  private final CoprocessorChain chain;

  /**
   * @param chain of the region, which decides what a reader may see
   */
  public SnapshotReads(OpenRegion open, CoprocessorChain chain) {
    this.open = open;
    this.chain = chain;
  }

  void beforeGet(Get get, ReadRequest request) throws IOException {
    requireSupported(get);
    ReadView view = admit(request, get);
    open.fast().inFlight().awaitRow(Bytes.wrap(get.getRow()), request.snapshot());
    FrozenRead rest = FrozenRead.of(open, get, get.getFamilyMap());
    if (rest == null) {
      prepare(get, view);
      return;
    }
    get.readVersions(Math.min(get.getMaxVersions(), rest.versions()))
        .setTimeRange(0, request.snapshot());
    rest.attachTo(get, request.snapshot());
  }

  /** Refuses options that have no meaning in a read of ours. */
  public void requireSupported(Get get) {
    requirePlainSupported(get);
    if (get.isCheckExistenceOnly()) {
      throw unsupported("an existence check carries no proof: send a Get");
    }
  }

  /** Refuses the same for a plain client, which needs no proof. */
  void requirePlainSupported(Get get) {
    requireSupported((Query) get);
    requireAllTime(get.getTimeRange());
    requireOwnColumns(get.getFamilyMap());
  }

  private void prepare(Get get, ReadView view) {
    FrozenRead.detachFrom(get);
    HiddenColumns hidden = HiddenColumns.of(open, chain, get.getFilter(), get.getFamilyMap());
    nameReserved(get.getFamilyMap());
    ReadOptions options = ReadOptions.of(get, open.retention());
    get.setMaxResultsPerColumnFamily(NO_LIMIT).setRowOffsetPerColumnFamily(0);
    try {
      get.readAllVersions().setTimeRange(0, view.highestVersion() + 1);
    } catch (IOException e) {
      throw new IllegalStateException("time range out of order", e);
    }
    get.setFilter(
        new VisibilityFilter(view, open.region(), open.guards(), get.getFilter(), hidden, options));
  }

  /** Requires, if there is a filter, the right to read all that a Get names. */
  void requireUnrestricted(Get get) throws IOException {
    if (get.getFilter() != null) {
      Permissions.ofPlain(open, chain).requireReadable(get.getFamilyMap());
    }
  }

  /** Completes the result of a Get that {@link #beforeGet} has prepared. */
  void afterGet(Get get, List<Cell> result) {
    if (get.getFilter() instanceof VisibilityFilter filter) {
      if (Carrier.anyPointer(result)) {
        result.removeIf(cell -> !Carrier.isPointer(cell));
      }
      answered(get, result, filter.snapshot());
    } else if (FrozenRead.isAttachedTo(get)) {
      long snapshot = FrozenRead.requireStill(open, get);
      answered(get, result, snapshot);
    }
  }

  private void answered(Get get, List<Cell> result, long snapshot) {
    result.add(Carrier.proofCell(get.getRow(), Bytes.EMPTY.toArray()));
    requireHolds(snapshot);
  }

  ScannerBook.Opening beforeScan(Scan scan, ReadRequest request) throws IOException {
    requireSupported(scan);
    Permissions.ofPlain(open, chain).requireComplete(scan);
    ReadView view = admit(request, scan);
    open.fast().inFlight().awaitAll(request.snapshot());
    nameFamilies(scan);
    if (scan.getAttribute(ReadRequest.REFUSE_ATTRIBUTE) != null) {
      // Other coprocessors may open further scanners from it later: always with the filter.
      IntentsAhead ahead = new IntentsAhead(open, view, scan);
      VisibilityFilter filter = prepare(scan, view);
      filter.refuse(ahead);
      return opening(filter, false);
    }
    FrozenRead rest = FrozenRead.of(open, scan, scan.getFamilyMap());
    if (rest == null) {
      return opening(prepare(scan, view), false);
    }
    scan.readVersions(Math.min(scan.getMaxVersions(), rest.versions()))
        .setTimeRange(0, request.snapshot());
    Set<byte[]> families = new TreeSet<>(org.apache.hadoop.hbase.util.Bytes.BYTES_COMPARATOR);
    families.addAll(scan.getFamilyMap().keySet());
    return atRest(request.snapshot(), () -> rest.requireStill(open, families));
  }

  /**
   * Returns the checks of a scan of families at rest.
   *
   * @param stillAtRest fails unless they are as they were before the scan
   */
  static ScannerBook.Opening atRest(long snapshot, Runnable stillAtRest) {
    return scanner -> {
      stillAtRest.run();
      return new Checked(snapshot, false, isOfHBase(scanner) ? null : stillAtRest);
    };
  }

  /**
   * Turns a scan into one that certifies its range: admitted as a read at the commit timestamp, and
   * checked after each batch as one at the snapshot.
   */
  ScannerBook.Opening beforeCertification(Scan scan, CertifyScan request) throws IOException {
    requireSupported(scan);
    new RequestGuards(open).requireCertifiable(request.level());
    nameFamilies(scan);
    CertifyingFilter filter =
        CertifyingFilter.admit(
            open, request.by(rules(request.level(), scan.getFamilyMap().keySet())));
    open.fast().inFlight().awaitAll(request.commitTimestamp());
    nameReserved(scan.getFamilyMap());
    scan.setMaxResultsPerColumnFamily(NO_LIMIT).setRowOffsetPerColumnFamily(0);
    scan.readAllVersions().setTimeRange(0, request.commitTimestamp());
    scan.setLoadColumnFamiliesOnDemand(false);
    scan.setFilter(filter);
    long snapshot = request.startTimestamp();
    return scanner -> new Checked(snapshot, false, null);
  }

  /**
   * Returns the level by whose rules reads are certified. At level ROW, changes of other columns
   * count, too. If the reader may not read all of them, the rules of level CELL apply, which
   * disclose nothing about the others.
   *
   * @param families in which changes would count
   */
  public ConflictLevel rules(ConflictLevel level, Collection<byte[]> families) throws IOException {
    return level == ConflictLevel.ROW && !Permissions.ofPlain(open, chain).areReadable(families)
        ? ConflictLevel.CELL
        : level;
  }

  /**
   * Returns true if the scanner is HBase's, which reads what was stored when it was opened. Another
   * observer's may open further ones later: what they read must still be at rest.
   */
  private static boolean isOfHBase(RegionScanner scanner) {
    return scanner.getClass().getPackage() == RegionScanner.class.getPackage();
  }

  private static ScannerBook.Opening opening(VisibilityFilter filter, boolean forPlainClient) {
    return scanner -> {
      if (!filter.isSnapshot()) {
        filter.readAt(scanner.getMvccReadPoint());
      }
      return new Checked(filter.snapshot(), forPlainClient, null);
    };
  }

  /** Adds all families to a scan that names only that of the proof; refuses unsupported options. */
  private void nameFamilies(Scan scan) {
    if (scan.isRaw()) {
      throw unsupported("a raw scan sees no snapshot");
    }
    // A client that reopens a scanner sends the earlier read point, which has not been kept open:
    // transaction cells visible there may have been replaced and collected.
    PackagePrivateFieldAccessor.setMvccReadPoint(scan, NO_READ_POINT);
    requireAllTime(scan.getTimeRange());
    requireOwnColumns(scan.getFamilyMap());
    scan.getFamilyMap().remove(Reserved.PROOF_FAMILY.unsafeArray());
    if (!scan.hasFamilies()) {
      open.region().getTableDescriptor().getColumnFamilyNames().forEach(scan::addFamily);
    }
  }

  /** Makes a plain client's scan see what is committed when it is opened, and nothing else. */
  ScannerBook.Opening beforePlainScan(Scan scan) throws IOException {
    requireSupported(scan);
    // The safe point, below which data may be missing, is known from now on.
    open.fence().requireKnown(0);
    nameFamilies(scan);
    VisibilityFilter filter = prepare(scan, new LatestView(open.now()));
    filter.forPlainClient();
    return opening(filter, true);
  }

  /**
   * Admits a scan that Phoenix sends without a transaction. A time range that ends below {@link
   * Timestamps#PLAIN_LIMIT} comes from a clock of milliseconds, and means now. Otherwise it ends
   * with a transaction's timestamp, which is the snapshot; undecided intents make the client retry.
   * Queries, deletes and copies of rows without a transaction come from a client whose copy of the
   * catalogue is older than the table's adoption. They are refused: it may lack indexes.
   */
  ScannerBook.Opening beforePhoenixScan(Scan scan) throws IOException {
    long end = Timestamps.tick(scan.getTimeRange().getMax());
    boolean isNow = Timestamps.isPlain(end) || scan.getTimeRange().getMax() == Long.MAX_VALUE;
    scan.setTimeRange(0, Long.MAX_VALUE);
    if (isNow) {
      if (PhoenixScans.isStatement(scan)) {
        open.refusePlain("SQL from before the table was adopted: run it again");
      }
      return beforePlainScan(scan);
    }
    requireSupported(scan);
    ReadRequest request = new ReadRequest(end, false, 0, SlotSet.NONE, Map.of(), IssueProof.NONE);
    ReadView view = ReadAdmission.admit(request, 0, open.guards());
    open.fast().inFlight().awaitAll(end);
    nameFamilies(scan);
    return opening(prepare(scan, view).forPlainClient(), true);
  }

  /**
   * Makes a tool's scan show what is stored, or as much of it as every reader may see; only removes
   * the family of the proof.
   *
   * @param pass the attribute's value
   */
  ScannerBook.Opening beforeInspection(Scan scan, byte[] pass) throws IOException {
    Permissions.ofPlain(open, chain).requireComplete(scan);
    return beforeInspection(scan, pass, false);
  }

  private ScannerBook.Opening beforeInspection(Scan scan, byte[] pass, boolean keepsLengths) {
    open.requireTransactional();
    open.requireSession();
    FrozenRead.detachFrom(scan);
    scan.getFamilyMap().remove(Reserved.PROOF_FAMILY.unsafeArray());
    if (!open.server().proofs().mayInspect(pass)) {
      PhoenixScans.withinPages(
          scan, user -> new RedactingFilter(open.guards(), open.table(), user, keepsLengths));
    }
    return ScannerBook.UNCHECKED;
  }

  /** Makes Phoenix's scan measure what is stored; of undecided writes it shows only the size. */
  ScannerBook.Opening beforeStatistics(Scan scan) throws IOException {
    scan.setTimeRange(0, Long.MAX_VALUE);
    return beforeInspection(scan, InspectionPass.none(), true);
  }

  /** Makes {@code scan} read through the filter that is returned. */
  VisibilityFilter prepare(Scan scan, ReadView view) throws IOException {
    FrozenRead.detachFrom(scan);
    Map<byte[], NavigableSet<byte[]>> families = scan.getFamilyMap();
    HiddenColumns hidden = HiddenColumns.of(open, chain, scan.getFilter(), families);
    nameReserved(families);
    ReadOptions options = ReadOptions.of(scan, open.retention());
    scan.setMaxResultsPerColumnFamily(NO_LIMIT).setRowOffsetPerColumnFamily(0);
    scan.readAllVersions().setTimeRange(0, view.highestVersion() + 1);
    return PhoenixScans.withinPages(
        scan,
        user -> new VisibilityFilter(view, open.region(), open.guards(), user, hidden, options));
  }

  /**
   * Checks a batch of a scan, which may come long after the one before.
   *
   * @param checked null if nothing is to be checked
   */
  void afterBatch(@Nullable Checked checked) throws IOException {
    if (checked == null) {
      return;
    }
    if (checked.atRest() != null) {
      checked.atRest().run();
    }
    if (checked.forPlainClient()) {
      PlainClientSupport.patientlyDo(() -> open.requireReadHolds(checked.snapshot()));
    } else {
      requireHolds(checked.snapshot());
    }
  }

  /**
   * Fails unless a read at the snapshot has shown exactly what was committed below it. A table made
   * plain since the snapshot cannot guarantee that: its rows are rewritten in their last committed
   * state, which every snapshot sees. So snapshots have to be above the table's floor.
   */
  private void requireHolds(long snapshot) {
    TableGeneration.require(snapshot, open.generation().floor());
    ReadAdmission.requireAboveFloor(snapshot, open.requireTransactional().floor());
    open.requireReadHolds(snapshot);
  }

  private void requireSupported(Query query) {
    open.requireTransactional();
    if (query.getConsistency() != Consistency.STRONG || query.getReplicaId() > 0) {
      throw unsupported("region replicas lag behind: transactions cannot use them");
    }
    if (query.getIsolationLevel() != IsolationLevel.READ_COMMITTED) {
      throw unsupported("isolation level has no meaning inside a transaction");
    }
    if (query.getColumnFamilyTimeRange() != null && !query.getColumnFamilyTimeRange().isEmpty()) {
      throw unsupported("time ranges have no meaning inside a transaction");
    }
  }

  private ReadView admit(ReadRequest request, Query query) {
    return ReadAdmission.admit(request, Carrier.mark(query), open.guards());
  }

  private static void requireAllTime(@Nullable TimeRange range) {
    if (range != null && !range.isAllTime()) {
      throw unsupported("time ranges have no meaning inside a transaction");
    }
  }

  private static void requireOwnColumns(Map<byte[], NavigableSet<byte[]>> families) {
    for (NavigableSet<byte[]> columns : families.values()) {
      for (byte[] column : columns == null ? Set.<byte[]>of() : columns) {
        if (Reserved.isReserved(Bytes.wrap(column))) {
          throw unsupported("qualifier is reserved, qualifier=" + Bytes.wrap(column));
        }
      }
    }
  }

  private static void nameReserved(Map<byte[], NavigableSet<byte[]>> families) {
    for (NavigableSet<byte[]> columns : families.values()) {
      if (columns != null && !columns.isEmpty()) {
        columns.add(Reserved.TRANSACTION.unsafeArray());
        columns.add(Reserved.FAMILY_TOMBSTONE.unsafeArray());
      }
    }
  }

  private static Refused unsupported(String why) {
    return Refused.because(Refusal.Code.UNSUPPORTED, why);
  }
}
