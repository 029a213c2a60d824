package io.lampone.coprocessor;

import io.lampone.coprocessor.core.CellWrite;
import io.lampone.hbase.CellLifetimes;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.HRegion;

/**
 * One region request while it is being carried out. It goes into HBase's write path as one empty
 * mutation for each row, because a row is locked by a mutation; the cells are added when all rows
 * are locked and every rule has agreed. A row that stays as it is keeps its empty mutation: HBase
 * appends nothing to its log for it and changes no store.
 */
abstract class LockedRequest {

  private static final List<Tag> NO_TAGS = List.of();

  private final List<Mutation> mutations;
  private final List<byte[]> rows;

  LockedRequest(OpenRegion open, List<Bytes> keys) {
    Durability durability = durability(Durability.USE_DEFAULT, open);
    mutations = new ArrayList<>(keys.size());
    rows = new ArrayList<>(keys.size());
    for (Bytes key : keys) {
      mutations.add(new RequestPut(key.unsafeArray(), this, durability));
      rows.add(key.unsafeArray());
    }
  }

  final List<Mutation> mutations() {
    return mutations;
  }

  /** The rows to lock, in the one order in which everybody locks rows. */
  final List<byte[]> rows() {
    return rows;
  }

  /** Decides about all rows and fills their mutations; called once, under all row locks. */
  abstract void decide() throws IOException;

  /** All of it is in the log and in the store, and the rows are still locked; must not fail. */
  void applied() {}

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

  /** What is asked for, or the table's own, unless that would show what a crash can lose. */
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
