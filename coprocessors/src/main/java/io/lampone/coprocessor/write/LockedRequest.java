package io.lampone.coprocessor.write;

import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.Permissions;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.row.CellCursor;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.hbase.CellLifetimes;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagUtil;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;

/**
 * Execution of one region request. It enters HBase's write path as one mutation per row, because a
 * mutation locks a row and shows the request to other observers. The request's own cells are added
 * when all rows are locked and every rule has agreed. An unchanged row keeps an empty mutation, for
 * which HBase writes neither to its log nor to a store.
 */
public abstract class LockedRequest {

  private static final List<Tag> NO_TAGS = List.of();

  private final OpenRegion open;
  private final List<Bytes> keys;
  private final List<RequestPut> mutations;
  private final List<byte[]> rows;

  LockedRequest(OpenRegion open, RegionRequest request, List<Bytes> keys, Permissions permissions) {
    this.open = open;
    this.keys = keys;
    Durability durability = durability(Durability.USE_DEFAULT, open);
    mutations = new ArrayList<>(keys.size());
    rows = new ArrayList<>(keys.size());
    for (Bytes key : keys) {
      mutations.add(new RequestPut(key.unsafeArray(), this, durability));
      rows.add(key.unsafeArray());
    }
    permissions.show(request, mutations);
  }

  final List<Mutation> mutations() {
    return Collections.unmodifiableList(mutations);
  }

  /** Returns the mutation of the first row. */
  final RequestPut first() {
    return mutations.get(0);
  }

  /** Returns the rows to lock, in the common locking order. */
  final List<byte[]> rows() {
    return rows;
  }

  /**
   * Replaces the shown cells by those that the rules decide; called once, under all row locks.
   * HBase has kept the cell maps of the mutations by reference.
   *
   * @throws Refused if another observer has taken a row out of the batch: the reply would
   *     acknowledge that row, too
   */
  public final void decide(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
    boolean isWhole = batch.size() == mutations.size();
    for (int i = 0; isWhole && i < batch.size(); i++) {
      isWhole =
          batch.getOperation(i) == mutations.get(i)
              && batch.getOperationStatus(i).getOperationStatusCode()
                  == OperationStatusCode.NOT_RUN;
    }
    if (!isWhole) {
      throw Refused.because(
          Refusal.Code.UNSUPPORTED, "another coprocessor has taken a row out of the request");
    }
    mutations.forEach(mutation -> mutation.getFamilyCellMap().clear());
    keys.forEach(open.fast().inFlight()::awaitWriters);
    decide();
  }

  /** Decides about all rows and fills their mutations. */
  public abstract void decide() throws IOException;

  /** Called when all cells are in log and store and the rows still locked; must not fail. */
  public void applied() {}

  /** Returns whether a row has a cell of a version, when everything stored has become visible. */
  static boolean isVisible(OpenRegion open, Bytes row, long version) {
    ((HRegion) open.region()).getMVCC().await();
    HBaseRow stored = open.row(row, HBaseRow.VISIBLE);
    AtomicBoolean found = new AtomicBoolean();
    try {
      stored.visit(
          new Selection(stored.families(), List.of(), version, version),
          cell -> {
            found.set(true);
            return Next.STOP;
          });
    } catch (IOException e) {
      return false; // the region is closing, or its files cannot be read
    }
    return found.get();
  }

  /** Adds cells to the mutation of a row. */
  final void fill(int index, List<CellWrite> writes) {
    fill(mutations.get(index), writes);
  }

  /** Adds cells to a mutation. */
  static void fill(Mutation mutation, List<CellWrite> writes) {
    for (CellWrite write : writes) {
      mutation
          .getFamilyCellMap()
          .computeIfAbsent(write.family().unsafeArray(), family -> new ArrayList<>())
          .add(cell(mutation.getRow(), write));
    }
  }

  /**
   * Returns the cell; its operation's id, lifetime and labels are tags, which HBase keeps with it.
   */
  static Cell cell(byte[] row, CellWrite write) {
    boolean isNamed = !write.id().equals(OperationId.NONE);
    boolean expires = write.lifetimeMillis() != FamilyRetention.FOREVER;
    byte[] labels = write.labels().unsafeArray();
    List<Tag> tags =
        isNamed || expires || labels.length != 0
            ? new ArrayList<>(TagUtil.asList(labels, 0, labels.length))
            : NO_TAGS;
    if (isNamed) {
      tags.add(new ArrayBackedTag(CellCursor.OPERATION_TAG, write.id().toBytes()));
    }
    if (expires) {
      tags.add(CellLifetimes.tag(write.lifetimeMillis()));
    }
    return new KeyValue(
        row,
        write.family().unsafeArray(),
        write.qualifier().unsafeArray(),
        write.version(),
        KeyValue.Type.Put,
        write.value().unsafeArray(),
        tags);
  }

  /**
   * Returns the durability requested, or the table's own, unless it could expose data that a crash
   * loses.
   */
  static Durability durability(Durability wanted, OpenRegion open) {
    Durability effective =
        wanted == Durability.USE_DEFAULT
            ? open.region().getTableDescriptor().getDurability()
            : wanted;
    return switch (effective) {
      case SKIP_WAL, ASYNC_WAL -> Durability.SYNC_WAL;
      default -> wanted;
    };
  }
}
