package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeAdmin.TransactionalTable;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.Transaction;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of a table whose disabling was interrupted, and of its users. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BrokenDisableIT {

  private final LamponeClient client;
  private final LamponeAdmin lampone;
  private final EmbeddedLampone cluster;

  BrokenDisableIT(LamponeClient client, EmbeddedLampone cluster) {
    this.client = client;
    this.lampone = client.admin();
    this.cluster = cluster;
  }

  @Test
  void aTableThatIsOpenedAgainSaysOfTheFastPathAndOfPlainClientsWhatItSaidBefore()
      throws Exception {
    TableName name = TableName.valueOf("disable-broken-off");
    create(name, PlainClients.FAST_PATH, false);
    try (Connection hbase = connect(5);
        Admin admin = hbase.getAdmin()) {
      final TableSettings before = TableSettings.of(admin.getDescriptor(name)).orElseThrow();

      assertThatThrownBy(() -> breakingOffAt("Rewriting").disableTable(name))
          .hasMessage("Rewriting");
      assertThat(TableSettings.of(admin.getDescriptor(name)))
          .map(TableSettings::phase)
          .contains(Phase.CHANGING);
      lampone.enableTable(name, ConflictLevel.CELL);

      TableDescriptor opened = admin.getDescriptor(name);
      TableSettings after = TableSettings.of(opened).orElseThrow();
      assertThat(after)
          .isEqualTo(
              new TableSettings(
                  Phase.ENABLED,
                  before.level(),
                  after.floor(),
                  before.fastPath(),
                  before.plainClients()));
      assertThat(opened.getValue(TableSettings.FAST_PATH_KEY)).isEqualTo("false");
      assertThat(opened.getValue(TableSettings.PLAIN_CLIENTS_KEY)).isEqualTo("FAST_PATH");
    }
  }

  @Test
  void plainClientsComeAgainUntilTheTableIsPlain() throws Exception {
    TableName name = TableName.valueOf("disabled-under-plain-clients");
    create(name, PlainClients.FAST_PATH, true);
    try (Connection patient = connect(100);
        Connection impatient = connect(0);
        Table waiting = patient.getTable(name);
        Table table = impatient.getTable(name)) {
      waiting.put(new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("before")));
      List<Throwable> told = new ArrayList<>();
      AtomicReference<CompletableFuture<Void>> write = new AtomicReference<>();

      lampone
          .reportingTo(
              (step, done, total) -> {
                if (step.equals("Rewriting") && told.isEmpty()) {
                  Put put = new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("during"));
                  for (ThrowingCallable operation :
                      List.<ThrowingCallable>of(
                          () -> table.put(put),
                          () -> table.get(new Get(bytes(LEADER))),
                          () ->
                              table.increment(
                                  new Increment(bytes("n")).addColumn(FAMILY, COLUMN, 1)),
                          () ->
                              table
                                  .checkAndMutate(bytes(LEADER), FAMILY)
                                  .qualifier(COLUMN)
                                  .ifNotExists()
                                  .thenPut(put))) {
                    told.add(catchThrowable(operation));
                  }
                  write.set(CompletableFuture.runAsync(() -> put(waiting, put)));
                }
              })
          .disableTable(name);

      assertThat(told)
          .hasSize(4)
          .allSatisfy(
              failure ->
                  assertThat(failure)
                      .hasStackTraceContaining("RegionTooBusyException")
                      .hasStackTraceContaining("TABLE_CHANGING"));
      write.get().get(1, TimeUnit.MINUTES);
      assertThat(table.get(new Get(bytes(LEADER))).getValue(FAMILY, COLUMN))
          .isEqualTo(bytes("during"));
    }
  }

  @Test
  void anObserverWithoutSettingsIsRemovedUnlessTransactionsHaveWritten() throws Exception {
    TableName empty = TableName.valueOf("observed-empty");
    TableName written = TableName.valueOf("observed-written");
    for (TableName name : List.of(empty, written)) {
      create(name, PlainClients.REFUSED, true);
    }
    client.run(
        tx -> {
          tx.table(written).put(new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("kept")));
          return null;
        });
    try (Connection hbase = connect(5);
        Admin admin = hbase.getAdmin();
        Table table = hbase.getTable(written)) {
      for (TableName name : List.of(empty, written)) {
        admin.modifyTable(
            TableSettings.removeFrom(TableDescriptorBuilder.newBuilder(admin.getDescriptor(name)))
                .build());
      }

      lampone.disableTable(empty);
      assertThat(admin.getDescriptor(empty).getCoprocessorDescriptors()).isEmpty();

      String told = catchThrowable(() -> lampone.disableTable(written)).getMessage();
      assertThat(told).contains("lost its settings", "alter 'observed-written', METADATA");
      assertThat(admin.getDescriptor(written).getCoprocessorDescriptors()).hasSize(1);
      // As in the message.
      Matcher floor = Pattern.compile("'lampone.floor' => '(\\d+)'").matcher(told);
      assertThat(floor.find()).isTrue();
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(written))
              .setValue(TableSettings.PHASE_KEY, "CHANGING")
              .setValue(TableSettings.LEVEL_KEY, "ROW")
              .setValue(TableSettings.FLOOR_KEY, floor.group(1))
              .build());
      lampone.disableTable(written);
      assertThat(admin.getDescriptor(written).getCoprocessorDescriptors()).isEmpty();
      assertThat(table.get(new Get(bytes(LEADER))).getValue(FAMILY, COLUMN))
          .isEqualTo(bytes("kept"));
    }
  }

  @Test
  void aTableWhoseSettingsCannotBeReadSpoilsNoList() throws Exception {
    TableName spoilt = TableName.valueOf("spoilt");
    TableName sound = TableName.valueOf("sound");
    create(sound, PlainClients.REFUSED, true);
    try (Connection hbase = connect(5);
        Admin admin = hbase.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(spoilt)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .setValue(TableSettings.PHASE_KEY, "ENABLED")
              .build());
      try {
        assertThat(lampone.listTables()).extracting(TransactionalTable::name).contains(sound);
        assertThat(lampone.listUnreadableTables())
            .singleElement()
            .satisfies(each -> assertThat(each.name()).isEqualTo(spoilt))
            .satisfies(each -> assertThat(each.why()).contains("lacks a value"));
      } finally {
        admin.disableTable(spoilt);
        admin.deleteTable(spoilt);
      }
      lampone.disableTable(sound);
      assertThat(admin.getDescriptor(sound).getCoprocessorDescriptors()).isEmpty();
    }
  }

  /** After the rewrite, a row shows its last committed content to every snapshot. */
  @Test
  void aSnapshotFromBeforeSeesNoHalfOfWhatWasCommittedSince() throws Exception {
    TwoRows rows = new TwoRows(TableName.valueOf("disabled-under-a-reader"));
    create(rows.table(), PlainClients.REFUSED, true);
    rows.write(client, "old");
    try (Transaction reader = client.readOnly()) {
      assertThat(rows.get(reader, LEADER)).isEqualTo("old");
      rows.write(client, "new");
      Throwable during = afterFirstPage(rows, () -> rows.get(reader, FOLLOWER));
      assertTooOld(during);
      lampone.enableTable(rows.table(), ConflictLevel.CELL);
      assertTooOld(catchThrowable(() -> rows.get(reader, FOLLOWER)));
      assertTooOld(catchThrowable(() -> scan(reader, rows)));
    }
    assertThat(rows.read(client)).isEqualTo("new new");
  }

  /** Until the last region is closed to writers, they commit above the floor of the closing. */
  @Test
  void aSnapshotFromBeforeItWasClosedSeesNoHalfEither() throws Exception {
    TwoRows rows = new TwoRows(TableName.valueOf("disabled-before-a-commit"));
    create(rows.table(), PlainClients.REFUSED, true);
    rows.write(client, "old");
    AtomicReference<Transaction> reader = new AtomicReference<>();
    AtomicReference<Throwable> read = new AtomicReference<>();
    lampone
        .reportingTo(
            (step, done, total) -> {
              if (step.equals("Closing to writers") && reader.get() == null) {
                reader.set(unchecked(client::readOnly));
                assertThat(unchecked(() -> rows.get(reader.get(), LEADER))).isEqualTo("old");
                unchecked(
                    () -> {
                      rows.write(client, "new");
                      return null;
                    });
              } else if (step.equals("Rewriting") && done == total) {
                read.set(catchThrowable(() -> rows.get(reader.get(), FOLLOWER)));
              }
            })
        .disableTable(rows.table());
    reader.get().close();
    assertTooOld(read.get());
  }

  @Test
  void whoCommitsTooLateLeavesNothingInRowsThatAreDone() throws Exception {
    TwoRows rows = new TwoRows(TableName.valueOf("disabled-under-a-writer"));
    create(rows.table(), PlainClients.REFUSED, true);
    rows.write(client, "old");
    AtomicReference<Throwable> late = new AtomicReference<>();
    try (Transaction writer = client.begin()) {
      rows.putBoth(writer, "late");
      lampone
          .reportingTo(
              (step, done, total) -> {
                if (step.equals("Opening") && done == 0) {
                  late.set(catchThrowable(writer::commit));
                }
              })
          .disableTable(rows.table());
    }
    assertThat(late.get()).isInstanceOf(LamponeException.class);
    try (Connection hbase = connect(5);
        Table table = hbase.getTable(rows.table());
        ResultScanner stored = table.getScanner(new Scan().readAllVersions())) {
      for (Result row : stored) {
        assertThat(row.listCells())
            .as("row=%s", row)
            .allSatisfy(cell -> assertThat(Timestamps.isPlain(cell.getTimestamp())).isTrue());
      }
    }
    lampone.enableTable(rows.table(), ConflictLevel.CELL);
    assertThat(rows.read(client)).isEqualTo("old old");
  }

  /**
   * Found by the fault lab: the flush of the leader had been refused, and the servers of the
   * client's rollback died. The transaction never asked to commit, so the transaction manager says
   * nothing about it until it is older than the retention.
   */
  @Test
  void aFollowerWhoseLeaderWasNeverWritten_isAborted() throws Exception {
    TwoRows rows = new TwoRows(TableName.valueOf("disable-leaderless"));
    create(rows.table(), PlainClients.FAST_PATH, true);
    rows.write(client, "before");
    try (Connection hbase = connect(5);
        Transaction lost = client.begin()) {
      flush(hbase, lost, rows, FOLLOWER);
      StoredCells cells = new StoredCells(cluster.hbase(), rows.table());
      assertThat(cells.states(lost.startTimestamp())).containsExactly("z=PENDING");

      lampone.disableTable(rows.table());

      try (Table table = hbase.getTable(rows.table())) {
        assertThat(table.get(new Get(bytes(FOLLOWER))).getValue(FAMILY, COLUMN))
            .isEqualTo(bytes("before"));
      }
    }
  }

  private static void flush(Connection hbase, Transaction of, TwoRows rows, String row)
      throws IOException {
    Flush flush =
        new Flush(
            of.startTimestamp(),
            0,
            ConflictLevel.CELL,
            place(rows, LEADER),
            1,
            List.of(
                new RowIntents(
                    Bytes.utf8(row),
                    List.of(
                        new FamilyIntents(
                            Bytes.wrap(FAMILY), SlotSet.NONE, Optional.empty(), List.of())))),
            Proofs.OPEN.grant(of.startTimestamp(), 0));
    try (Table table = hbase.getTable(rows.table())) {
      Carrier.reply(table.checkAndMutate(Carrier.checkAndMutate(flush)).getResult());
    }
  }

  private static RowFamily place(TwoRows rows, String row) {
    return new RowFamily(rows.table().getNameAsString(), Bytes.utf8(row), Bytes.wrap(FAMILY));
  }

  /** Makes a table plain, and runs an action between its first page and the end. */
  private Throwable afterFirstPage(TwoRows rows, ThrowingCallable action) throws IOException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<String> steps = new ArrayList<>();
    lampone
        .reportingTo(
            (step, done, total) -> {
              steps.add(step);
              if (step.equals("Rewriting") && steps.indexOf(step) == steps.size() - 2) {
                failure.set(catchThrowable(action));
              }
            })
        .disableTable(rows.table());
    return failure.get();
  }

  private static void assertTooOld(Throwable failure) {
    assertThat(failure)
        .isInstanceOf(SnapshotTooOldException.class)
        .hasMessageContaining("has been created, enabled, made plain or fenced since");
  }

  private static void scan(Transaction tx, TwoRows rows) throws IOException {
    try (ResultScanner scanner = tx.table(rows.table()).getScanner(new Scan())) {
      scanner.next();
    }
  }

  private static <T> T unchecked(Callable<T> work) {
    try {
      return work.call();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void put(Table table, Put put) {
    try {
      table.put(put);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Administers, and is broken off at the first report of a step. */
  private LamponeAdmin breakingOffAt(String place) {
    return client
        .admin()
        .reportingTo(
            (step, done, total) -> {
              if (step.equals(place)) {
                throw new IllegalStateException(place);
              }
            });
  }

  private void create(TableName name, PlainClients plainClients, boolean fastPath)
      throws IOException {
    lampone.createTable(
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
            .setValue(TableSettings.PLAIN_CLIENTS_KEY, plainClients.name())
            .setValue(TableSettings.FAST_PATH_KEY, Boolean.toString(fastPath))
            .build(),
        ConflictLevel.CELL);
  }

  private Connection connect(int retries) throws IOException {
    Configuration configuration = new Configuration(cluster.configuration());
    configuration.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, retries);
    configuration.setLong(HConstants.HBASE_CLIENT_PAUSE, 50);
    configuration.setLong("hbase.client.pause.server.overloaded", 50);
    return ConnectionFactory.createConnection(configuration);
  }
}
