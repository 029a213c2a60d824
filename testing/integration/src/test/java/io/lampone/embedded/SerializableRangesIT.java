package io.lampone.embedded;

import static io.lampone.embedded.Layout.FAMILY;
import static io.lampone.embedded.RangeCases.GENERAL;
import static io.lampone.embedded.RangeCases.Q;
import static io.lampone.embedded.RangeCases.R;
import static io.lampone.embedded.RangeCases.SERIALIZABLE;
import static io.lampone.embedded.RangeCases.put;
import static io.lampone.embedded.RangeCases.read;
import static io.lampone.embedded.RangeCases.until;
import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.embedded.InLayouts.EveryLayout;
import io.lampone.embedded.InLayouts.EveryLayoutButLevelRow;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Ranges scanned by serializable transactions: changes by others in them, including phantoms,
 * abort. See {@link SerializableIT} for rows, {@link SerializableScansIT} for the range that a scan
 * has read.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SerializableRangesIT {

  private final EmbeddedLampone cluster;
  private final LamponeClient client;
  private Connection hbase;
  private RangeCases cases;

  SerializableRangesIT(EmbeddedLampone cluster, LamponeClient client) {
    this.cluster = cluster;
    this.client = client;
  }

  @BeforeAll
  void connect() throws IOException {
    hbase = ConnectionFactory.createConnection(cluster.configuration());
    cases = new RangeCases(client, hbase);
    for (Layout layout : Layout.values()) {
      layout.createTable(client.admin());
    }
  }

  @AfterAll
  void disconnect() throws IOException {
    hbase.close();
  }

  @EveryLayoutButLevelRow
  void g2PredicateWriteSkew(Layout layout) throws IOException {
    run(
        layout,
        "r-g2",
        """
        T1 b; T2 b
        T1 scan(v%3=0)=none; T2 scan(v%3=0)=none
        T1 w3=30; T2 w4=42
        T1 c; T2 c conflict
        end 1=10 2=20 3=30
        """);
  }

  @EveryLayoutButLevelRow
  void g2DifferentPredicates(Layout layout) throws IOException {
    run(
        layout,
        "r-predicates",
        """
        T1 b; T2 b
        T1 scan(v%3=0)=none; T2 scan(v%5=0)=1,2
        T1 w3=30; T2 w4=60
        T1 c; T2 c conflict
        end 1=10 2=20 3=30
        """);
  }

  @EveryLayoutButLevelRow
  void g2TwoEdgesReadOnlyAnomaly(Layout layout) throws IOException {
    run(
        layout,
        "r-two-edges",
        """
        T1 b; T1 scan(all)=1,2
        T2 b; T2 w2=25; T2 c
        T3 b; T3 scan(all)=1,2; T3 c
        T1 w1=0; T1 c conflict
        end 1=10 2=25
        """);
  }

  @EveryLayout
  void whatTheTransactionItselfChangesInItsRangeIsNoConflict(Layout layout) throws IOException {
    run(
        layout,
        "r-own",
        """
        T1 b; T1 w3=5; T1 scan(all)=1,2,3
        T1 w(all)+=10; T1 d1; T1 scan(all)=2,3; T1 c
        end 2=30 3=15
        """);
  }

  @EveryLayout
  void whatChangesBeforeAndAfterwardsIsNotInTheWay(Layout layout) throws IOException {
    run(
        layout,
        "r-order",
        """
        T2 b; T2 w1=11; T2 c
        T1 b; T1 scan(all)=1,2; T1 w2=21; T1 c
        T3 b; T3 w1=12; T3 c
        end 1=12 2=21
        """);
  }

  static Stream<Arguments> levelsAndRegions() {
    return Stream.of(ConflictLevel.values())
        .flatMap(level -> Stream.of(Arguments.of(level, true), Arguments.of(level, false)));
  }

  @ParameterizedTest
  @MethodSource("levelsAndRegions")
  void everyChangeInARangeByEveryWriter(ConflictLevel level, boolean split) throws IOException {
    TableName table = cases.table("r_writers_" + level + "_" + split, level, split);
    client.admin().disableTable(table);
    client.admin().enableTable(table, level, PlainClients.FAST_PATH);
    Scan range = new Scan().withStartRow(bytes("a")).withStopRow(bytes("y"));
    for (RangeCases.Writer writer : RangeCases.Writer.values()) {
      for (String row : List.of("b", "x")) {
        cases.put(table, row, 1);
        for (boolean deletes : new boolean[] {false, true}) {
          String step = writer + " " + row + (deletes ? " deletes" : " updates");
          cases.conflicts(table, step, range, () -> cases.change(writer, table, row, deletes));
        }
        // The row is gone: a phantom.
        cases.conflicts(
            table,
            writer + " inserts " + row,
            range,
            () -> cases.change(writer, table, row, false));
        cases.change(writer, table, row, true);
      }
      cases.conflicts(
          table,
          writer + " inserts into an empty range",
          new Scan().withStartRow(bytes("f")).withStopRow(bytes("g")),
          () -> cases.change(writer, table, "f5", false));
      cases.change(writer, table, "f5", true);
      try (Transaction tx = client.begin(GENERAL)) {
        read(tx, table, range);
        cases.change(writer, table, "y", false);
        cases.write(tx, table);
        tx.commit();
      }
    }
  }

  /** At level CELL only the columns that a scan names, and deletes that hide them. */
  @Test
  void atLevelCellAScanOfOneColumnIsNotDisturbedByAnother() throws IOException {
    TableName table = cases.table("r_columns", ConflictLevel.CELL, false);
    Scan column = new Scan().withStopRow(bytes("m")).addColumn(FAMILY, Q);
    for (RangeCases.Writer writer :
        List.of(RangeCases.Writer.REGULAR, RangeCases.Writer.FAST_PATH)) {
      cases.put(table, "a", 1);
      try (Transaction tx = client.begin(GENERAL)) {
        read(tx, table, column);
        if (writer == RangeCases.Writer.REGULAR) {
          client.run(
              TransactionOptions.DEFAULT.withoutOneRegionCommit(),
              other -> {
                other.table(table).put(new Put(bytes("a")).addColumn(FAMILY, R, bytes("x")));
                return null;
              });
        } else {
          client.fastPath().table(table).put(new Put(bytes("a")).addColumn(FAMILY, R, bytes("x")));
        }
        cases.write(tx, table);
        tx.commit();
      }
      cases.conflicts(table, "the column", column, () -> cases.change(writer, table, "a", false));
      cases.conflicts(
          table, "the row is deleted", column, () -> cases.change(writer, table, "a", true));
    }
  }

  /** A reader of the range waits for it, and one at the commit timestamp does, too. */
  @Test
  void undecidedIntentsInTheRangeAreJudgedAtTheCommitTimestamp() throws IOException {
    TableName table = cases.table("r_pending", ConflictLevel.ROW, false);
    cases.put(table, "a", 1);
    try (Transaction other = client.begin(TransactionOptions.DEFAULT.withoutOneRegionCommit());
        Transaction tx = client.begin(GENERAL)) {
      other.table(table).put(put("b", 2));
      read(other, table, new Scan()); // and its buffer is sent before
      assertThat(read(tx, table, new Scan().withStopRow(bytes("y")))).containsExactly("a");
      cases.write(tx, table);
      tx.commit(); // the other one has not asked for its commit
      other.commit();
    }
    try (Transaction other = client.begin(TransactionOptions.DEFAULT.withoutOneRegionCommit());
        Transaction tx = client.begin(GENERAL)) {
      other.table(table).put(put("c", 2));
      read(other, table, new Scan());
      assertThat(read(tx, table, new Scan().withStopRow(bytes("y")))).containsExactly("a", "b");
      other.commit();
      cases.write(tx, table);
      assertThatExceptionOfType(ConflictException.class).isThrownBy(tx::commit);
    }
  }

  @Test
  void theConflictNamesTheRange_andRunDoesTheWorkAgain() throws IOException {
    TableName table = cases.table("r_kind", ConflictLevel.ROW, false);
    cases.put(table, "b", 1);
    try (Transaction tx = client.begin(GENERAL)) {
      read(tx, table, until("c", true));
      long version = client.fastPath().table(table).put(put("bb", 2)).version();
      cases.write(tx, table);
      assertThatExceptionOfType(ConflictException.class)
          .isThrownBy(tx::commit)
          .withMessageContaining("a row of a range that was read")
          .satisfies(
              conflict -> {
                assertThat(conflict.kind()).isEqualTo(ConflictException.Kind.RANGE);
                assertThat(conflict.table()).isEqualTo(table.getNameAsString());
                assertThat(conflict.row()).isEqualTo(bytes("bb"));
                assertThat(conflict.startRow()).isEqualTo(bytes("a"));
                assertThat(conflict.stopRow()).isEqualTo(bytes("c\0"));
                assertThat(conflict.winnerCommitTimestamp()).isEqualTo(version);
              });
    }
    AtomicInteger runs = new AtomicInteger();
    int sum =
        client.run(
            SERIALIZABLE,
            tx -> {
              int rows = read(tx, table, until("c", false)).size();
              if (runs.incrementAndGet() == 1) {
                client.fastPath().table(table).put(put("bbb", 3));
              }
              cases.write(tx, table);
              return rows;
            });
    assertThat(runs).hasValue(2);
    assertThat(sum).isEqualTo(3);
  }

  /** A point inside a range is certified separately where the range does not cover its read. */
  @Test
  void r1_rowsInsideARangeOfAnotherFamily() throws IOException {
    TableName table = TableName.valueOf("r_families");
    byte[] other = bytes("g");
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(other))
                .build(),
            ConflictLevel.ROW);
    cases.put(table, "b", 1);
    for (TransactionOptions options :
        List.of(TransactionOptions.DEFAULT.withoutOneRegionCommit(), TransactionOptions.DEFAULT)) {
      RangeCases.Change change =
          () ->
              client.run(
                  options,
                  writer -> {
                    writer.table(table).put(new Put(bytes("b")).addColumn(other, Q, bytes("x")));
                    return null;
                  });
      for (boolean rowIsRead : new boolean[] {true, false}) {
        try (Transaction tx = client.begin(GENERAL)) {
          if (rowIsRead) {
            tx.table(table).get(new Get(bytes("b")).addFamily(other));
          }
          read(tx, table, until("c", false).addFamily(FAMILY));
          change.run();
          cases.write(tx, table);
          if (rowIsRead) {
            assertThatExceptionOfType(ConflictException.class).isThrownBy(tx::commit);
          } else {
            tx.commit();
          }
        }
      }
      cases.conflicts(table, "a scan of all families", until("c", false), change);
    }
  }

  private void run(Layout layout, String caseName, String steps) throws IOException {
    History.run(client, layout, caseName + "-general", GENERAL, steps);
    History.run(client, layout, caseName, SERIALIZABLE, steps);
  }
}
