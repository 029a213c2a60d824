package io.lampone.coprocessor;

import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.coprocessor.write.LockedRequest;
import io.lampone.coprocessor.write.RequestGet;
import io.lampone.coprocessor.write.RequestPut;
import io.lampone.coprocessor.write.RequestScan;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.request.FastCondition.Compare;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastCondition.Unchanged;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.jspecify.annotations.Nullable;

/**
 * Checks with the other coprocessors of a region whether a request is permitted, through their
 * hooks for the plain operations that it stands for, before any row is locked. Skipped where this
 * observer is the only coprocessor.
 *
 * <p>Two requests name less than they affect. One that reports a fate names rows and not the
 * columns of the transaction; without a proof, it may change those families in which its sender may
 * write. A condition on the whole row is checked by its carrier alone: its answer discloses no more
 * than any conflict does.
 */
public final class Permissions {

  /** any row: authorizers check families and columns */
  private static final byte[] SOME_ROW = {0};

  private final OpenRegion open;
  private final CoprocessorChain chain;

  /** A column that HBase has had the others check; null if the request names none of the table. */
  private final @Nullable Place carrier;

  private Permissions(OpenRegion open, CoprocessorChain chain, @Nullable Place carrier) {
    this.open = open;
    this.chain = chain;
    this.carrier = carrier;
  }

  /** Returns the permissions of a request of ours. */
  public static Permissions of(OpenRegion open, CoprocessorChain chain, CheckAndMutate carrier) {
    byte[] family = carrier.getFamily();
    boolean isNamed = family != null && open.region().getTableDescriptor().hasColumnFamily(family);
    return new Permissions(
        open,
        chain,
        isNamed ? Place.column(Bytes.wrap(family), Bytes.of(carrier.getQualifier())) : null);
  }

  /** Returns the permissions of an HBase operation that is executed as a request. */
  public static Permissions ofPlain(OpenRegion open, CoprocessorChain chain) {
    return new Permissions(open, chain, null);
  }

  /**
   * Shows in {@code puts} what a request writes: HBase passes these cells to its observers before
   * it locks the rows. A family without cells stands for all of its columns, a put without families
   * for the whole table.
   *
   * @param puts one for each row of the request, in order
   */
  public void show(RegionRequest request, List<RequestPut> puts) {
    if (chain.isOnlyUs()) {
      return;
    }
    if (request instanceof Flush flush) {
      showIntents(flush.intents(), puts);
    } else if (request instanceof OneRegionCommit commit) {
      showIntents(commit.intents(), puts);
    } else if (request instanceof FastWrite write) {
      for (int i = 0; i < puts.size(); i++) {
        showMutations(write.operations().get(i).mutations(), puts.get(i));
      }
    } else {
      puts.forEach(this::showCarrier);
    }
  }

  private void showIntents(List<RowIntents> rows, List<RequestPut> puts) {
    for (int i = 0; i < puts.size(); i++) {
      RequestPut put = puts.get(i);
      for (FamilyIntents family : rows.get(i).families()) {
        boolean isWhole =
            family.cells().stream().anyMatch(cell -> cell.kind() == IntentKind.DELETE_FAMILY);
        if (isWhole) {
          put.showFamily(family.family());
        } else if (family.cells().isEmpty()) {
          put.showCell(family.family(), qualifierIn(family.family()), Bytes.EMPTY);
        } else {
          for (IntentCell cell : family.cells()) {
            put.showCell(family.family(), cell.qualifier(), cell.value());
          }
        }
      }
    }
  }

  private void showMutations(List<Mutation> mutations, RequestPut put) {
    if (mutations.isEmpty()) {
      showCarrier(put);
      return;
    }
    Set<Bytes> whole = new HashSet<>();
    for (Mutation mutation : mutations) {
      if (mutation.kind() == Kind.DELETE_ROW) {
        for (byte[] family : open.region().getTableDescriptor().getColumnFamilyNames()) {
          whole.add(Bytes.wrap(family));
        }
      } else if (mutation.kind() == Kind.DELETE_FAMILY) {
        whole.add(mutation.family());
      }
    }
    whole.forEach(put::showFamily);
    for (Mutation mutation : mutations) {
      if (mutation.kind() != Kind.DELETE_ROW && !whole.contains(mutation.family())) {
        put.showCell(mutation.family(), mutation.qualifier(), mutation.value());
      }
    }
  }

  private void showCarrier(RequestPut put) {
    if (carrier != null) {
      put.showCell(carrier.family(), carrier.qualifier(), Bytes.EMPTY);
    }
  }

  /** Returns a column to check for a family of which the request names none. */
  private Bytes qualifierIn(Bytes family) {
    return carrier != null && carrier.family().equals(family)
        ? carrier.qualifier()
        : Reserved.TRANSACTION;
  }

  /**
   * Returns the families that a request without columns and proof may change; null for all.
   *
   * @param put of one of its rows
   */
  public @Nullable Set<Bytes> changeable(LockedRequest request, RequestPut put) throws IOException {
    if (carrier == null || chain.isOnlyUs()) {
      return null; // the put itself requires the right to write the whole table
    }
    Set<Bytes> families = new HashSet<>(Set.of(carrier.family()));
    for (byte[] name : open.region().getTableDescriptor().getColumnFamilyNames()) {
      Bytes family = Bytes.wrap(name);
      if (!families.contains(family) && mayWrite(family, request, put)) {
        families.add(family);
      }
    }
    return families;
  }

  private boolean mayWrite(Bytes family, LockedRequest request, RequestPut put) throws IOException {
    RequestPut asked = new RequestPut(put.getRow(), request, Durability.USE_DEFAULT);
    asked.showCell(family, Reserved.TRANSACTION, Bytes.EMPTY);
    try {
      boolean isBypassed = chain.host().prePut(asked, new WALEdit());
      // An authorizer that will check the stored cells later sets an attribute.
      return !isBypassed && asked.getAttributesMap().isEmpty();
    } catch (AccessDeniedException e) {
      return false;
    }
  }

  /**
   * Requires the right to read what a write discloses: columns that it compares, cells that it
   * returns, and what a serializable transaction has read: at level ROW all families, as all of the
   * row counts.
   */
  public void requireReadable(RegionRequest request) throws IOException {
    if (chain.isOnlyUs()) {
      return;
    }
    if (request instanceof OneRegionCommit commit) {
      for (RowRead read : commit.reads()) {
        RequestGet get = new RequestGet(read.row().unsafeArray());
        if (commit.level() == ConflictLevel.ROW) {
          open.region().getTableDescriptor().getColumnFamilyNames().forEach(get::addFamily);
        } else {
          read.scope().forEach(place -> add(get, place));
        }
        requireReadable(get);
      }
    }
    if (request instanceof FastWrite write) {
      requireReadable(write);
    }
  }

  private void requireReadable(FastWrite write) throws IOException {
    for (FastOperation operation : write.operations()) {
      RequestGet get = new RequestGet(operation.row().unsafeArray());
      if (operation.condition() instanceof Compare compare) {
        get.addColumn(compare.family().unsafeArray(), compare.qualifier().unsafeArray());
      } else if (operation.condition() instanceof Unchanged unchanged) {
        unchanged.scope().forEach(place -> add(get, place));
      }
      for (Mutation mutation : operation.mutations()) {
        if (operation.returnsCells()
            && (mutation.kind() == Kind.INCREMENT || mutation.kind() == Kind.APPEND)) {
          get.addColumn(mutation.family().unsafeArray(), mutation.qualifier().unsafeArray());
        }
      }
      if (get.hasFamilies()) {
        requireReadable(get);
      }
    }
  }

  private void requireReadable(RequestGet get) throws IOException {
    requireAnswered(get);
    requireUnfiltered(get);
  }

  private void requireAnswered(RequestGet get) throws IOException {
    boolean isBypassed = chain.host().preGet(get, new ArrayList<>());
    if (isBypassed) {
      throw new AccessDeniedException("another coprocessor answers reads, table=" + open.table());
    }
  }

  /**
   * Requires the right to read all that a scan names. The other coprocessors check the plain scan
   * that it stands for, because an authorizer may hide rows from scans alone. Their filter on the
   * scan itself is no evidence, as they also saw the family of the proof.
   */
  public void requireReadable(Scan scan) throws IOException {
    if (chain.isOnlyUs()) {
      return;
    }
    RequestScan asked = RequestScan.of(scan);
    if (!asked.hasFamilies()) {
      open.region().getTableDescriptor().getColumnFamilyNames().forEach(asked::addFamily);
    }
    chain.host().preScannerOpen(asked);
    if (asked.isRestricted()) {
      throw new AccessDeniedException(
          "Insufficient permissions: not all of the range may be read; maintenance takes READ on"
              + " all families, and every label of what it names; a serializable transaction can"
              + " name columns that may be read, or use SNAPSHOT, columns="
              + asked.getFamilyMap().keySet().stream().map(Bytes::wrap).toList());
    }
  }

  /** Requires, if the reader asks for it, the right to read all that a scan names. */
  void requireComplete(Scan scan) throws IOException {
    if (scan.getAttribute(ReadRequest.COMPLETE_ATTRIBUTE) != null) {
      requireReadable(scan);
    }
  }

  /** Requires the right to read all that a family map names. */
  void requireReadable(Map<byte[], NavigableSet<byte[]>> families) throws IOException {
    if (!chain.isOnlyUs()) {
      requireReadable(asking(families));
    }
  }

  /** Returns true if all columns of some families may be read. */
  boolean areReadable(Collection<byte[]> families) throws IOException {
    RequestGet get = new RequestGet(SOME_ROW);
    families.forEach(get::addFamily);
    try {
      if (!chain.isOnlyUs()) {
        requireReadable(get);
      }
      return true;
    } catch (AccessDeniedException e) {
      return false;
    }
  }

  /**
   * Requires the right to read at least one column of some families. HBase's authorizer refuses a
   * reader without any; with {@code hbase.security.access.early_out=false} it adds a filter
   * instead, which an answer without cells of the table does not pass.
   */
  void requireAnyReadable(Map<byte[], NavigableSet<byte[]>> families) throws IOException {
    if (chain.isOnlyUs() || restriction(families).find() == null) {
      return;
    }
    TableName table = open.region().getTableDescriptor().getTableName();
    User reader = RpcServer.getRequestUser().orElse(null);
    for (AccessController authorizer : chain.host().findCoprocessors(AccessController.class)) {
      if (!authorizer.getAuthManager().accessUserTable(reader, table, Action.READ)) {
        throw new AccessDeniedException(
            "Insufficient permissions: nothing of the table may be read, table=" + table);
      }
    }
  }

  /**
   * Returns a supplier of the filter by which authorizers restrict a read of these columns to those
   * that its sender may see. A query's own filter may be this one, the application's, or a list of
   * both. The columns are copied at once, because reserved ones are added to a query's own map.
   */
  HiddenColumns.Restriction restriction(Map<byte[], NavigableSet<byte[]>> families) {
    RequestGet get = asking(families);
    return () -> {
      requireAnswered(get);
      return get.getFilter();
    };
  }

  private static RequestGet asking(Map<byte[], NavigableSet<byte[]>> families) {
    RequestGet get = new RequestGet(SOME_ROW);
    families.forEach(
        (family, columns) -> {
          if (Reserved.PROOF_FAMILY.equals(Bytes.wrap(family))) {
            return;
          }
          if (columns == null || columns.isEmpty()) {
            get.addFamily(family);
          } else {
            columns.forEach(column -> get.addColumn(family, column));
          }
        });
    return get;
  }

  /**
   * Requires the right to change the table, by the check for a flush of the region: its authorizers
   * require CREATE or ADMIN, as for an alteration. Nothing is flushed.
   */
  public void requireAdministration() throws IOException {
    if (!chain.isOnlyUs()) {
      chain.host().preFlush(FlushLifeCycleTracker.DUMMY);
    }
  }

  /** Refuses a Get that an authorizer restricts to a part. */
  public static void requireUnfiltered(Get get) throws AccessDeniedException {
    if (get.getFilter() != null) {
      throw new AccessDeniedException(
          "Insufficient permissions: not all of the columns may be read, columns="
              + get.getFamilyMap().keySet().stream().map(Bytes::wrap).toList());
    }
  }

  private static void add(Get get, Place place) {
    if (place.wholeFamily()) {
      get.addFamily(place.family().unsafeArray());
    } else {
      get.addColumn(place.family().unsafeArray(), place.qualifier().unsafeArray());
    }
  }
}
