package io.lampone.coprocessor.write;

import io.lampone.coprocessor.CellCursor;
import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.Permissions;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.CellWrite;
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
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;

/**
 * One region request while it is being carried out. It goes into HBase's write path as one mutation
 * for each row, because a row is locked by a mutation, and because other observers are shown by it
 * what is asked for. Its own cells are added when all rows are locked and every rule has agreed. A
 * row that stays as it is keeps an empty mutation: HBase appends nothing to its log for it and
 * changes no store.
 */
public abstract class LockedRequest {

  private static final List<Tag> NO_TAGS = List.of();

  private final List<RequestPut> mutations;
  private final List<byte[]> rows;

  LockedRequest(OpenRegion open, RegionRequest request, List<Bytes> keys, Permissions permissions) {
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

  /** The mutation of the first row. */
  final RequestPut first() {
    return mutations.get(0);
  }

  /** The rows to lock, in the one order in which everybody locks rows. */
  final List<byte[]> rows() {
    return rows;
  }

  /**
   * Puts what the rules say in the place of what was asked for; called once, under all row locks.
   * HBase has kept the cell maps of the mutations by reference.
   *
   * @throws Refused if another observer has taken a row out of the batch: what the others hold
   *     would be acknowledged for all
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
    decide();
  }

  /** Decides about all rows and fills their mutations. */
  public abstract void decide() throws IOException;

  /** All of it is in the log and in the store, and the rows are still locked; must not fail. */
  public void applied() {}

  /** Returns when everything is visible that has been stored in the region. */
  static void awaitVisible(OpenRegion open) {
    ((HRegion) open.region()).getMVCC().await();
  }

  /** Puts cells into the mutation of a row. */
  final void fill(int index, List<CellWrite> writes) {
    fill(mutations.get(index), writes);
  }

  /** Puts cells into a mutation. */
  static void fill(Mutation mutation, List<CellWrite> writes) {
    for (CellWrite write : writes) {
      mutation
          .getFamilyCellMap()
          .computeIfAbsent(write.family().unsafeArray(), family -> new ArrayList<>())
          .add(cell(mutation.getRow(), write));
    }
  }

  /**
   * The cell; the id of its operation and its lifetime are tags, which HBase keeps with it for
   * good.
   */
  static Cell cell(byte[] row, CellWrite write) {
    boolean isNamed = !write.id().equals(OperationId.NONE);
    boolean expires = write.lifetimeMillis() != FamilyRetention.FOREVER;
    List<Tag> tags = isNamed || expires ? new ArrayList<>(2) : NO_TAGS;
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
   * Returns the durability requested, or the table's own, unless that could make data visible that
   * a crash loses.
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
