package io.lampone.client.hbase.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.ChangeListener;
import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.TableCache;
import io.lampone.client.hbase.transport.AsyncRegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreMetrics;
import io.lampone.client.hbase.transport.StoreSettings;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer.ScanController;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncAdminBuilder;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What changes of a table without regions ask of HBase, and what they refuse. */
class TableAdministratorTest {

  private static final TableName NAME = TableName.valueOf("t");
  private static final byte[] FAMILY = {'f'};
  private static final long NOW = Timestamps.tick(1L << 60);
  private static final long HOUR = Duration.ofHours(1).toNanos();

  /** Passes with each wait. */
  private long nanos;

  private final Clock clock =
      fake(Clock.class, (proxy, method, arguments) -> nanos); // monotonicNanos is asked only

  private final AsyncConnection connection = fake(AsyncConnection.class, this::ofConnection);
  private final StoreAccess access =
      new StoreAccess(
          connection,
          new AsyncRegionTransport(connection, StoreSettings.DEFAULT, clock),
          StoreSettings.DEFAULT,
          new Driver(this::passed, clock),
          new Random(1),
          new StoreMetrics());
  private final TableCache tables = new TableCache(connection, clock, Duration.ofMinutes(1));
  private final TransactionManager manager =
      fake(TransactionManager.class, (proxy, method, arguments) -> done(begin()));
  private final LamponeAdmin administrator =
      new TableAdministrator(access, tables, manager, null); // no transaction is begun

  private final List<String> asked = new ArrayList<>();

  /** Cells that a scan of large versions finds. */
  private Supplier<List<Cell>> large = List::of;

  private Supplier<List<HRegionLocation>> regions = List::of;
  private Duration reopening = Duration.ZERO;
  private CompletableFuture<Void> reopened;
  private long reopenedNanos;
  private long fast;
  private long drawn;
  private String failing = "";
  private TableDescriptor table =
      TableSettings.ofPhoenix(NOW)
          .applyTo(
              TableDescriptorBuilder.newBuilder(NAME)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)))
          .build();

  /** The change that HBase stores before it reopens regions may be an earlier one's. */
  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 1})
  void aSchemaFloorThatIsRaisedAlreadyIsWaitedFor(long later) throws Exception {
    administrator.raiseSchemaFloor(NAME, NOW);
    assertThat(schemaFloor()).isEqualTo(NOW);
    long second = NOW + later * Timestamps.TICK;
    administrator.raiseSchemaFloor(NAME, second);
    assertThat(asked).containsExactly("modifyTable", "modifyTable");
    assertThat(schemaFloor()).isEqualTo(NOW + Timestamps.TICK);
  }

  @Test
  void settingsThatAreStoredAlreadyAreWaitedFor() throws Exception {
    for (int i = 0; i < 2; i++) {
      administrator.keepLonger(NAME, Duration.ofDays(1));
      administrator.enableTable(NAME, ConflictLevel.ROW, PlainClients.REFUSED);
    }
    // Once more if the table keeps longer than before: then every region has learnt it in time.
    assertThat(asked).hasSize(5).containsOnly("modifyTable");
    assertThat(TableRetention.of(table).extra()).isEqualTo(Duration.ofDays(1));
  }

  @Test
  void aTableThatDoesNotReopenIsGivenUpAfterAnHour() {
    reopening = Duration.ofDays(1);
    assertThatThrownBy(() -> administrator.expireAfter(NAME, FAMILY, Duration.ofDays(1)))
        .isInstanceOfSatisfying(
            LamponeException.class, e -> assertThat(e.code()).isEqualTo(Code.STORE_UNAVAILABLE))
        .hasMessageContaining("do it again")
        .hasMessageContaining("table=t");
    assertThat(Duration.ofNanos(nanos)).isBetween(Duration.ofHours(1), Duration.ofMinutes(61));
  }

  /** A large table takes hours. */
  @Test
  void aTableOfWhichARegionReopensIsWaitedForAnotherHour() throws Exception {
    reopening = Duration.ofMinutes(100);
    RegionInfo region = RegionInfoBuilder.newBuilder(NAME).build();
    regions =
        () -> List.of(new HRegionLocation(region, null, nanos / Duration.ofMinutes(50).toNanos()));
    administrator.expireAfter(NAME, FAMILY, Duration.ofDays(1));
    assertThat(Duration.ofNanos(nanos)).isBetween(reopening, reopening.plusMinutes(1));
  }

  /** Until then a region may have collected by the former rule, above the bound. */
  @Test
  void aRetentionThatWasLearntTooLateBeginsAtItsRepetition() throws Exception {
    reopening = Duration.ofMinutes(61);
    assertThatThrownBy(() -> administrator.keepLonger(NAME, Duration.ofDays(1)))
        .isInstanceOf(LamponeException.class);
    nanos += Duration.ofDays(1).toNanos();
    reopening = Duration.ZERO;
    final long repeated = begin().startTimestamp();
    administrator.keepLonger(NAME, Duration.ofDays(1));
    TableRetention kept = TableRetention.of(table);
    assertThat(kept.oldest()).isEqualTo(Timestamps.tick(repeated + HOUR));
    nanos += Duration.ofDays(1).toNanos();
    administrator.keepLonger(NAME, Duration.ofDays(1));
    assertThat(TableRetention.of(table)).isEqualTo(kept);
  }

  @Test
  void aRetentionThatIsLearntTooLateByTheManagersClockIsRefused() {
    fast = 2 * HOUR; // the manager's clock goes on by that with each timestamp
    assertThatThrownBy(() -> administrator.keepLonger(NAME, Duration.ofDays(1)))
        .isInstanceOf(LamponeException.class)
        .hasMessageContaining("do it again");
  }

  /** The table is plain by then, and a repetition of the change would not request it. */
  @Test
  void aCompactionThatCannotBeRequestedIsLeftToTheUser() throws Exception {
    failing = "flush";
    List<String> left = new ArrayList<>();
    ChangeListener listener =
        new ChangeListener() {
          @Override
          public void progress(String step, long done, long total) {}

          @Override
          public void left(String work) {
            left.add(work);
          }
        };
    new SchemaSteps(access, tables, manager, listener).requestCompaction(NAME);
    assertThat(left)
        .singleElement()
        .asString()
        .contains("flush 't'", "major_compact 't'", "no flush today");
  }

  /** It may be large, and may never have been transactional. */
  @Test
  void whatIsPlainIsLeftAlone() throws Exception {
    table = TableChanges.plain(table);
    administrator.disableTable(NAME);
    assertThat(asked).isEmpty();
  }

  @Test
  void aTableThatAnEarlierRestoreWasDroppingIsEnabledInHBase() throws Exception {
    table = TableChanges.plain(table);
    administrator.createForRestore(marked("backup"), "backup");
    assertThat(asked).containsExactly("enableTable");
  }

  @Test
  void retentionsAndLifetimesThatCannotBeComputedWithAreRefused() {
    Duration tooLong = Duration.ofDays(3650).plusMillis(1);
    refused(() -> administrator.keepLonger(NAME, tooLong));
    refused(() -> administrator.keepLonger(NAME, Duration.ofSeconds(Long.MAX_VALUE)));
    refused(() -> administrator.keepLonger(NAME, Duration.ofMillis(-1)));
    refused(() -> administrator.expireAfter(NAME, FAMILY, Duration.ofNanos(999_999)));
    refused(() -> administrator.expireAfter(NAME, FAMILY, Duration.ofNanos(-1)));
    assertThat(asked).isEmpty();
  }

  /** What is undecided in it was written at its level. */
  @Test
  void aTableWhoseDisablingWasBrokenOffIsOpenedAtItsLevelOnly() throws Exception {
    table =
        new TableSettings(Phase.CHANGING, ConflictLevel.ROW, NOW)
            .applyTo(TableDescriptorBuilder.newBuilder(TableChanges.plain(table)))
            .build();
    refused(() -> administrator.enableTable(NAME, ConflictLevel.CELL));
    assertThat(asked).isEmpty();
    administrator.enableTable(NAME, ConflictLevel.ROW);
    assertThat(TableSettings.of(table).orElseThrow().phase()).isEqualTo(Phase.ENABLED);
  }

  @Test
  void aFamilyWithNewVersionBehaviorIsNotAdopted() {
    table =
        TableDescriptorBuilder.newBuilder(NAME)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                    .setNewVersionBehavior(true)
                    .build())
            .build();
    refused(() -> administrator.enableTable(NAME, ConflictLevel.ROW));
    assertThat(asked).isEmpty();
  }

  /** Plain clients write until every region has the observer. */
  @Test
  void aLargeVersionThatCameBeforeTheTableWasClosedIsFound() throws Exception {
    TableDescriptor plain = TableChanges.plain(table);
    table = plain;
    large =
        () ->
            asked.isEmpty()
                ? List.of()
                : List.of(new KeyValue(FAMILY, FAMILY, FAMILY, NOW, FAMILY));
    refused(() -> administrator.enableTable(NAME, ConflictLevel.ROW));
    assertThat(asked).containsExactly("modifyTable", "modifyTable");
    assertThat(table).isEqualTo(plain);
    large = List::of;
    administrator.enableTable(NAME, ConflictLevel.ROW);
    assertThat(TableSettings.of(table).orElseThrow().phase()).isEqualTo(Phase.ENABLED);
  }

  /** Call that must fail. */
  private interface Call {
    void make() throws Exception;
  }

  private static void refused(Call call) {
    assertThatThrownBy(call::make)
        .isInstanceOfSatisfying(
            LamponeException.class, e -> assertThat(e.code()).isEqualTo(Code.BAD_REQUEST));
  }

  private TableDescriptor marked(String backup) {
    table =
        TableDescriptorBuilder.newBuilder(table)
            .setValue(TableSettings.RESTORING_KEY, backup)
            .build();
    return table;
  }

  private long schemaFloor() {
    return TableSettings.of(table).orElseThrow().schemaFloor();
  }

  private CompletableFuture<Void> passed(Duration delay) {
    nanos += delay.toNanos();
    if (nanos > Duration.ofDays(4).toNanos()) {
      throw new AssertionError("waits for ever");
    }
    if (reopened != null && nanos >= reopenedNanos) {
      reopened.complete(null);
    }
    return done(null);
  }

  private Begin begin() {
    drawn++;
    long now = Timestamps.tick(NOW + nanos + drawn * fast);
    return new Begin(now, now, new Grant(now, 0, new Tag(1, 2)));
  }

  private Object ofConnection(Object proxy, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "getAdminBuilder" ->
          fake(
              AsyncAdminBuilder.class,
              (builder, step, values) ->
                  step.getName().equals("build") ? fake(AsyncAdmin.class, this::ofAdmin) : builder);
      case "getRegionLocator" ->
          fake(AsyncTableRegionLocator.class, (locator, step, values) -> done(regions.get()));
      case "getTable" -> fake(AsyncTable.class, (scanned, step, values) -> scan(values[1]));
      default -> throw new AssertionError(method);
    };
  }

  private Object scan(Object consumer) {
    AdvancedScanResultConsumer rows = (AdvancedScanResultConsumer) consumer;
    List<Cell> found = large.get();
    if (!found.isEmpty()) {
      rows.onNext(
          new Result[] {Result.create(found)},
          fake(ScanController.class, (controller, step, values) -> null));
    }
    rows.onComplete();
    return null;
  }

  private Object ofAdmin(Object proxy, Method method, Object[] arguments) {
    switch (method.getName()) {
      case "getDescriptor":
        return done(table);
      case "tableExists":
      case "isTableDisabled":
        return done(true);
      case "modifyTable":
        table = (TableDescriptor) arguments[0];
        asked.add("modifyTable");
        reopened = new CompletableFuture<>();
        reopenedNanos = nanos + reopening.toNanos();
        if (reopening.isZero()) {
          reopened.complete(null);
        }
        return reopened;
      default:
        break;
    }
    if (method.getName().equals(failing)) {
      return CompletableFuture.failedFuture(new IOException("no flush today"));
    }
    asked.add(method.getName());
    return done(null);
  }

  private static <T> CompletableFuture<T> done(T value) {
    return CompletableFuture.completedFuture(value);
  }

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
