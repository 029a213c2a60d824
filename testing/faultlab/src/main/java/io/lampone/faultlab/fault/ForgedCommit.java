package io.lampone.faultlab.fault;

import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.faultlab.event.AttackTally;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Forged commit by a user with the right to alter one table: the user removes Lampone's observer,
 * writes a commit without the transaction manager's statement into the leader of an open
 * transaction there, and restores the observer (ADR 74). The transaction's writes in another table
 * must stay undecided. Both tables are created for the attack, and dropped after it.
 */
final class ForgedCommit {

  private static final int DROPS = 60;
  private static final long DROP_PAUSE_MILLIS = 2_000;

  /** In the master's refusal to remove the observer, where SQL is installed. */
  private static final String REFUSED_BY_MASTER = "not transactional in both of its descriptions";

  private static final byte[] FAMILY = {'f'};
  private static final byte[] LEADER = {'l'};
  private static final byte[] FOLLOWER = {'r'};

  private final Connection connection;
  private final TableName altered;
  private final TableName other;
  private final AttackTally tally;
  private final Thread thread = new Thread(this::run, "hostile-forger");

  /** True if a commit without a proof was accepted, and that has not been reported. */
  private volatile boolean believed;

  /**
   * @param number makes the names of the tables unique
   * @param tally told once a server has answered
   */
  ForgedCommit(Connection connection, int number, AttackTally tally) {
    this.connection = connection;
    this.tally = tally;
    this.altered = TableName.valueOf(Nemesis.HOSTILE_TABLES + "altered-" + number);
    this.other = TableName.valueOf(Nemesis.HOSTILE_TABLES + "other-" + number);
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      believed = isBelieved();
    } catch (IOException | RuntimeException e) {
      // Another fault is in the way.
    }
  }

  /** Waits for its end; returns the breach, once, if the commit was accepted. */
  Optional<String> await(Duration bound) throws InterruptedException {
    thread.join(bound.toMillis());
    if (!believed) {
      return Optional.empty();
    }
    believed = false;
    return Optional.of(InjectedFault.BREACH + ": a commit that shows no proof was believed");
  }

  /**
   * Carries the attack out.
   *
   * @return true if the commit was accepted
   * @throws IOException if another fault prevents the attack
   */
  private boolean isBelieved() throws IOException {
    Configuration eager = new Configuration(connection.getConfiguration());
    eager.set("lampone.client.buffer.bytes", "0");
    try (LamponeClient client = LamponeClient.connect(eager)) {
      for (TableName name : List.of(altered, other)) {
        client
            .admin()
            .createTable(
                TableDescriptorBuilder.newBuilder(name)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                    .build(),
                ConflictLevel.ROW);
      }
      Transaction tx = client.begin();
      try {
        put(tx, altered, LEADER);
        put(tx, other, FOLLOWER);
        boolean visible = writeCommit(tx.startTimestamp(), now(client)) && isVisible(client);
        tally.answered(AttackTally.FORGED);
        return visible;
      } finally {
        leave(tx);
      }
    } finally {
      try {
        drop(altered);
      } finally {
        drop(other);
      }
    }
  }

  /** Returns true if a region server has refused it, or the master the change of the table. */
  static boolean isRefusal(IOException thrown) {
    return RefusalException.in(thrown).isPresent()
        || StoreFailures.find(thrown, DoNotRetryIOException.class)
            .filter(e -> String.valueOf(e.getMessage()).contains(REFUSED_BY_MASTER))
            .isPresent();
  }

  /** Abandons the transaction: its leader has changed since its client wrote it. */
  private static void leave(Transaction tx) {
    try {
      tx.close();
    } catch (IOException | RuntimeException ignored) {
      // Its rows go with the tables.
    }
  }

  private static void put(Transaction tx, TableName name, byte[] row) throws IOException {
    try (Table table = tx.table(name)) {
      table.put(new Put(row).addColumn(FAMILY, FAMILY, FAMILY));
    }
  }

  private static long now(LamponeClient client) throws IOException {
    try (Transaction later = client.begin()) {
      return later.startTimestamp();
    }
  }

  /** Returns false if it was refused. */
  private boolean writeCommit(long start, long commit) throws IOException {
    RowFamily follower =
        new RowFamily(other.getNameAsString(), Bytes.wrap(FOLLOWER), Bytes.wrap(FAMILY));
    TransactionCell forged =
        TransactionCell.leader(List.of(follower), true, 1)
            .withState(TransactionState.COMMITTED, commit);
    try (Admin admin = connection.getAdmin();
        Table table = connection.getTable(altered)) {
      TableDescriptor observed = admin.getDescriptor(altered);
      TableDescriptorBuilder bare = TableDescriptorBuilder.newBuilder(observed);
      for (CoprocessorDescriptor each : observed.getCoprocessorDescriptors()) {
        bare.removeCoprocessor(each.getClassName());
      }
      admin.modifyTable(bare.build());
      table.put(
          new Put(LEADER)
              .addColumn(FAMILY, Reserved.TRANSACTION.toArray(), start, forged.encode()));
      admin.modifyTable(observed);
      return true;
    } catch (IOException e) {
      if (isRefusal(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Returns true if a reader of the other table, whose server resolves it, sees a commit. */
  private boolean isVisible(LamponeClient client) throws IOException {
    try (Transaction reader = client.readOnly();
        Table table = reader.table(other)) {
      return !table.get(new Get(FOLLOWER)).isEmpty();
    } catch (LamponeException e) {
      if (e.code() == LamponeException.Code.CORRUPT) {
        return false;
      }
      throw e;
    }
  }

  /** Drops it, if need be after other faults: a disabled table that stays is in the way later. */
  private void drop(TableName name) throws IOException {
    for (int left = DROPS; ; left--) {
      try {
        dropOnce(name);
        return;
      } catch (IOException e) {
        if (left == 0) {
          throw e;
        }
      }
      try {
        TimeUnit.MILLISECONDS.sleep(DROP_PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
  }

  private void dropOnce(TableName name) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      if (admin.tableExists(name)) {
        if (admin.isTableEnabled(name)) {
          admin.disableTable(name);
        }
        admin.deleteTable(name);
      }
    }
  }
}
