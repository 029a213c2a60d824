package io.lampone.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.Freshness;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/** YCSB's own workloads, small, in each mode; and the binding's operations one by one. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WorkloadsIT {

  private static final int RECORDS = 60;
  private static final int OPERATIONS = 150;
  private static final Path WORKLOADS = Path.of("..", "distribution", "workloads");

  @TempDir private static Path folder;

  private static EmbeddedLampone cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster = EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).build());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  static Stream<Arguments> everyWorkloadInEveryMode() {
    return Stream.of(Mode.values())
        .flatMap(mode -> "abcdef".chars().mapToObj(letter -> Arguments.of((char) letter, mode)));
  }

  @ParameterizedTest(name = "workload {0} {1}")
  @MethodSource("everyWorkloadInEveryMode")
  void everyOperationOfAWorkloadSucceeds(char letter, Mode mode) throws Exception {
    Properties properties = properties(mode, "workloads" + mode);
    try (Reader reader = Files.newBufferedReader(WORKLOADS.resolve("workload" + letter))) {
      properties.load(reader);
    }
    properties.setProperty("recordcount", Integer.toString(RECORDS));
    properties.setProperty("operationcount", Integer.toString(OPERATIONS));
    properties.setProperty("dataintegrity", "true");
    properties.setProperty("fieldlengthdistribution", "constant");
    properties.setProperty(Settings.REGIONS, "3");
    Measurements.setProperties(properties);
    CoreWorkload workload = new CoreWorkload();
    workload.init(properties);
    CheckedDb db = new CheckedDb();
    db.setProperties(properties);
    db.init();
    for (int i = 0; i < RECORDS; i++) {
      assertThat(workload.doInsert(db, null)).isTrue();
    }
    for (int i = 0; i < OPERATIONS; i++) {
      assertThat(workload.doTransaction(db, null)).isTrue();
    }
    db.cleanup();

    assertThat(db.failed).isEmpty();
    assertThat(db.operations).isGreaterThanOrEqualTo(RECORDS + OPERATIONS);
    assertThat(isTransactional(properties.getProperty("table"))).isEqualTo(mode != Mode.PLAIN);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void whatIsInsertedUpdatedAndDeletedIsWhatIsReadAndScanned(Mode mode) throws Exception {
    Properties properties = properties(mode, "ops" + mode);
    LamponeDb db = new LamponeDb();
    db.setProperties(properties);
    db.init();
    String table = properties.getProperty("table");
    for (String key : List.of("a", "b", "c")) {
      assertThat(db.insert(table, key, values("x", key, "y", "1"))).isEqualTo(Status.OK);
    }
    assertThat(db.update(table, "b", values("y", "2"))).isEqualTo(Status.OK);
    assertThat(db.delete(table, "a")).isEqualTo(Status.OK);

    assertThat(read(db, table, "b", null)).isEqualTo(Map.of("x", "b", "y", "2"));
    assertThat(read(db, table, "b", Set.of("y"))).isEqualTo(Map.of("y", "2"));
    assertThat(db.read(table, "a", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
    Vector<HashMap<String, ByteIterator>> rows = new Vector<>();
    assertThat(db.scan(table, "a", 10, Set.of("x"), rows)).isEqualTo(Status.OK);
    assertThat(rows).extracting(row -> row.get("x").toString()).containsExactly("b", "c");
    rows.clear();
    assertThat(db.scan(table, "a", 1, null, rows)).isEqualTo(Status.OK);
    assertThat(rows).hasSize(1);
    assertThat(db.read("another", "b", null, new HashMap<>())).isEqualTo(Status.BAD_REQUEST);
    db.cleanup();
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void insertsAreSentInBatchesAndTheRestAtTheEnd(Mode mode) throws Exception {
    Properties properties = properties(mode, "batch" + mode);
    properties.setProperty(Settings.BATCH, "3");
    LamponeDb db = new LamponeDb();
    db.setProperties(properties);
    db.init();
    String table = properties.getProperty("table");
    List<Status> statuses = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      statuses.add(db.insert(table, "k" + i, values("x", "v")));
    }
    assertThat(statuses)
        .containsExactly(Status.BATCHED_OK, Status.BATCHED_OK, Status.OK, Status.BATCHED_OK);
    assertThat(db.read(table, "k2", null, new HashMap<>())).isEqualTo(Status.OK);
    assertThat(db.read(table, "k3", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
    db.cleanup();

    LamponeDb later = new LamponeDb();
    later.setProperties(properties(mode, "batch" + mode));
    later.init();
    assertThat(later.read(table, "k3", null, new HashMap<>())).isEqualTo(Status.OK);
    later.cleanup();
  }

  @Test
  void severalOperationsMakeOneTransactionAndAConflictIsAResult() throws Exception {
    Properties properties = properties(Mode.REGULAR, "several");
    properties.setProperty(Settings.OPERATIONS, "2");
    LamponeDb one = new LamponeDb();
    LamponeDb two = new LamponeDb();
    for (LamponeDb db : List.of(one, two)) {
      db.setProperties(properties);
      db.init();
    }
    String table = properties.getProperty("table");
    assertThat(one.update(table, "k", values("x", "1"))).isEqualTo(Status.OK);
    // Not committed yet: the other transaction does not see it, and conflicts at its commit.
    assertThat(two.read(table, "k", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
    assertThat(one.update(table, "l", values("x", "1"))).isEqualTo(Status.OK);
    assertThat(two.update(table, "k", values("x", "2")).getName()).isEqualTo("CONFLICT");

    assertThat(read(two, table, "k", null)).isEqualTo(Map.of("x", "1"));
    assertThat(read(two, table, "l", null)).isEqualTo(Map.of("x", "1"));
    one.cleanup();
    two.cleanup();
  }

  @ParameterizedTest
  @EnumSource(Freshness.class)
  void readsBeginWithTheFreshnessThatIsChosenAndSeeTheirOwnClientsWrites(Freshness freshness)
      throws Exception {
    Properties properties = properties(Mode.REGULAR, "fresh" + freshness);
    properties.setProperty(Settings.FRESHNESS, freshness.name().toLowerCase(Locale.ROOT));
    LamponeDb db = new LamponeDb();
    db.setProperties(properties);
    db.init();
    SharedClient shared = SharedClient.acquire(properties, Settings.of(properties));
    String table = properties.getProperty("table");
    String expected =
        switch (freshness) {
          case STRICT -> "begin";
          case SESSION -> "begin-session";
          case LATEST -> "begin-latest";
        };
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    int written = 0;
    // Start timestamps are at hand only while SESSION is in use.
    while (count(shared, expected) == 0 || written < 3) {
      String value = Integer.toString(++written);
      assertThat(db.update(table, "k", values("x", value))).isEqualTo(Status.OK);
      assertThat(read(db, table, "k", null)).isEqualTo(Map.of("x", value));
      Vector<HashMap<String, ByteIterator>> rows = new Vector<>();
      assertThat(db.scan(table, "k", 1, null, rows)).isEqualTo(Status.OK);
      assertThat(rows).extracting(row -> row.get("x").toString()).containsExactly(value);
      assertThat(System.nanoTime()).isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(20);
      assertThat(read(db, table, "k", null)).isEqualTo(Map.of("x", value));
    }
    for (String other : List.of("begin-session", "begin-latest")) {
      boolean may =
          other.equals(expected) || freshness == Freshness.LATEST; // whose scans are of a session
      assertThat(may || count(shared, other) == 0).as(other).isTrue();
    }
    shared.release(properties);
    db.cleanup();
  }

  private static long count(SharedClient shared, String name) {
    return shared.lampone().metrics().transactions().getOrDefault(name, 0L);
  }

  @Test
  void settingsThatMakeNoSenseStopTheRun() {
    Properties properties = properties(Mode.PLAIN, "x");
    properties.setProperty(Mode.PROPERTY, "quick");
    LamponeDb db = new LamponeDb();
    db.setProperties(properties);
    assertThatThrownBy(db::init)
        .isInstanceOf(DBException.class)
        .hasMessageContaining("choose regular, fastpath or plain");
    Properties none = properties(Mode.REGULAR, "x");
    none.setProperty(Settings.BATCH, "0");
    db.setProperties(none);
    assertThatThrownBy(db::init).hasMessageContaining("lampone.batch=0");
    Properties old = properties(Mode.REGULAR, "x");
    old.setProperty(Settings.FRESHNESS, "old");
    db.setProperties(old);
    assertThatThrownBy(db::init)
        .isInstanceOf(DBException.class)
        .hasMessageContaining("choose strict, session or latest, lampone.freshness=old");
  }

  private static Properties properties(Mode mode, String table) {
    Properties properties = new Properties();
    cluster
        .configuration()
        .forEach(
            entry -> {
              if (entry.getKey().startsWith("hbase.zookeeper")
                  || entry.getKey().equals("hbase.client.registry.impl")) {
                properties.setProperty(entry.getKey(), entry.getValue());
              }
            });
    properties.setProperty(Mode.PROPERTY, mode.name().toLowerCase(Locale.ROOT));
    properties.setProperty("table", table);
    properties.setProperty("columnfamily", "cf");
    return properties;
  }

  private static boolean isTransactional(String table) throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      return admin.getDescriptor(TableName.valueOf(table)).getValue("lampone.phase") != null;
    }
  }

  private static Map<String, ByteIterator> values(String... pairs) {
    Map<String, ByteIterator> values = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      values.put(pairs[i], new StringByteIterator(pairs[i + 1]));
    }
    return values;
  }

  private static Map<String, String> read(
      LamponeDb db, String table, String key, Set<String> fields) {
    Map<String, ByteIterator> result = new HashMap<>();
    assertThat(db.read(table, key, fields, result)).isEqualTo(Status.OK);
    return StringByteIterator.getStringMap(result);
  }

  /** Binding that checks every status; YCSB checks only those of inserts. */
  private static final class CheckedDb extends DB {

    private final LamponeDb db = new LamponeDb();
    private final List<Status> failed = new ArrayList<>();
    private int operations;

    @Override
    public void setProperties(Properties properties) {
      super.setProperties(properties);
      db.setProperties(properties);
    }

    @Override
    public void init() throws DBException {
      db.init();
    }

    @Override
    public void cleanup() throws DBException {
      db.cleanup();
    }

    @Override
    public Status read(
        String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
      return checked(db.read(table, key, fields, result));
    }

    @Override
    public Status scan(
        String table,
        String start,
        int count,
        Set<String> fields,
        Vector<HashMap<String, ByteIterator>> result) {
      Status status = checked(db.scan(table, start, count, fields, result));
      assertThat(result).isNotEmpty();
      return status;
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
      return checked(db.update(table, key, values));
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
      return checked(db.insert(table, key, values));
    }

    @Override
    public Status delete(String table, String key) {
      return checked(db.delete(table, key));
    }

    private Status checked(Status status) {
      operations++;
      if (!status.isOk()) {
        failed.add(status);
      }
      return status;
    }
  }
}
