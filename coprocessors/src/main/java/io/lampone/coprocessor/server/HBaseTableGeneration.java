package io.lampone.coprocessor.server;

import io.lampone.coprocessor.core.fence.TableGeneration;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableState;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.zookeeper.ZKUtil;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;
import org.apache.hadoop.hbase.zookeeper.ZNodePaths;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * Generation of a table from its state in {@code hbase:meta}: the timestamp of the newest ENABLING.
 * ENABLED comes after it and is not used, because regions open in between. The entry is in a znode
 * below HBase's own, with a statement of the server that wrote it. An entry from another program
 * counts as absent: that ends open transactions and loses nothing else.
 */
final class HBaseTableGeneration implements TableGeneration.Store {

  /** Name of the parent znode, below the znode of HBase. */
  static final String PARENT = "lampone-tables";

  /** Longer than a call takes; the region's next request tries again. */
  private static final int TIMEOUT_MILLIS = 2_000;

  private static final int ABSENT = -1;

  private final TableName table;
  private final Connection connection;
  private final ZKWatcher zooKeeper;
  private final Proofs proofs;
  private final String path;

  /** Version of the znode read last; {@link #ABSENT} = there was none. */
  private int version = ABSENT;

  HBaseTableGeneration(TableName table, Connection connection, ZKWatcher zooKeeper, Proofs proofs) {
    this.table = table;
    this.connection = connection;
    this.zooKeeper = zooKeeper;
    this.proofs = proofs;
    String base = zooKeeper.getZNodePaths().baseZNode;
    this.path =
        ZNodePaths.joinZNode(
            ZNodePaths.joinZNode(base, PARENT), table.getNameAsString().replace(':', '='));
  }

  @Override
  public long generation() throws IOException {
    Get get =
        new Get(table.getName())
            .addColumn(HConstants.TABLE_FAMILY, HConstants.TABLE_STATE_QUALIFIER)
            .readAllVersions();
    try (Table meta =
        connection
            .getTableBuilder(TableName.META_TABLE_NAME, null)
            .setOperationTimeout(TIMEOUT_MILLIS)
            .setRpcTimeout(TIMEOUT_MILLIS)
            .build()) {
      for (Cell cell : meta.get(get).rawCells()) {
        if (TableState.parseFrom(table, CellUtil.cloneValue(cell)).isEnabling()) {
          return cell.getTimestamp();
        }
      }
      return 0;
    } catch (DeserializationException e) {
      throw new IOException("unreadable state of a table, table=" + table, e);
    }
  }

  @Override
  public Optional<TableGeneration.Entry> read() throws IOException {
    Stat stat = new Stat();
    byte[] data;
    try {
      data = ZKUtil.getDataNoWatch(zooKeeper, path, stat);
    } catch (KeeperException e) {
      throw failed(e);
    }
    version = data == null ? ABSENT : stat.getVersion();
    return data == null
        ? Optional.empty()
        : decode(table, new String(data, StandardCharsets.UTF_8), proofs);
  }

  @Override
  public boolean replace(TableGeneration.Entry next) throws IOException {
    byte[] data = encode(table, next, proofs).getBytes(StandardCharsets.UTF_8);
    try {
      if (version != ABSENT) {
        return ZKUtil.setData(zooKeeper, path, data, version);
      }
      ZKUtil.createWithParents(zooKeeper, ZKUtil.getParent(path));
      ZKUtil.createAndWatch(zooKeeper, path, data);
      return true;
    } catch (KeeperException.BadVersionException | KeeperException.NodeExistsException e) {
      return false;
    } catch (KeeperException e) {
      throw failed(e);
    }
  }

  static String encode(TableName table, TableGeneration.Entry entry, Proofs proofs) {
    Tag tag =
        proofs
            .generation(table.getNameAsString(), entry.generation(), entry.floor())
            .orElse(Tag.NONE);
    return String.format(
        Locale.ROOT,
        "%d %d %016x%016x",
        entry.generation(),
        entry.floor(),
        tag.first(),
        tag.second());
  }

  /**
   * Decodes an entry; an unreadable one, or one written without the cluster key, counts as absent.
   */
  static Optional<TableGeneration.Entry> decode(TableName table, String text, Proofs proofs) {
    String[] fields = text.split(" ", -1);
    try {
      if (fields.length != 3 || fields[2].length() != 2 * Tag.BYTES) {
        return Optional.empty();
      }
      long generation = Long.parseLong(fields[0]);
      long floor = Long.parseLong(fields[1]);
      Tag tag =
          new Tag(
              Long.parseUnsignedLong(fields[2], 0, Tag.BYTES, 16),
              Long.parseUnsignedLong(fields[2], Tag.BYTES, 2 * Tag.BYTES, 16));
      Proofs.Verdict verdict =
          proofs.verifyGeneration(table.getNameAsString(), generation, floor, tag);
      // Without keys this server cannot verify it, and executes no write.
      return verdict == Proofs.Verdict.FORGED
          ? Optional.empty()
          : Optional.of(new TableGeneration.Entry(generation, floor));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private IOException failed(KeeperException failure) {
    return new IOException("ZooKeeper does not answer, path=" + path, failure);
  }
}
