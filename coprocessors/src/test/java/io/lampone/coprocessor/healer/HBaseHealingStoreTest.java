package io.lampone.coprocessor.healer;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.hbase.Carrier;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.trust.ClusterKey;
import io.lampone.protocol.trust.InspectionPass;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableBuilder;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

class HBaseHealingStoreTest {

  private static final long START = Timestamps.tick(1L << 60);
  private static final Bytes F = Bytes.utf8("f");
  private static final RowFamily LEADER = new RowFamily("leaders", Bytes.utf8("leader"), F);

  /** Time of the wall clock; each scan takes nearly as long as a pass is valid. */
  private long nowMillis = 1_800_000_000_000L;

  private final Clock clock =
      new Clock() {
        @Override
        public long wallMillis() {
          return nowMillis;
        }

        @Override
        public long monotonicNanos() {
          return 0;
        }
      };

  /** End of the first of two regions, or empty for a single region. */
  private String firstEnd = "";

  /** Scans that were opened, each by its table and range. */
  private final List<String> scans = new ArrayList<>();

  /** Tables to which requests were sent, with the rows. */
  private final List<String> healed = new ArrayList<>();

  private final HBaseHealingStore store =
      new HBaseHealingStore(
          new HealerConnection(() -> CompletableFuture.completedFuture(connection())),
          () -> 0,
          ClusterKey.OPEN,
          clock);

  @Test
  void followersThatALeaderDoesNotListAreHealedInEveryTransactionalTable() throws Exception {
    TransactionId id = new TransactionId(START, LEADER);
    assertThat(store.healEverywhere(Map.of(id, START + Timestamps.TICK))).containsExactly(id);
    assertThat(healed).containsExactlyInAnyOrder("leaders follower", "others follower");
  }

  @Test
  void eachRegionIsSearchedWithAPassOfItsOwn() throws Exception {
    TransactionId id = new TransactionId(START, LEADER);
    firstEnd = "m";
    assertThat(store.healEverywhere(Map.of(id, START + Timestamps.TICK))).containsExactly(id);
    assertThat(scans).containsExactly("leaders -m", "leaders m-", "others -m", "others m-");
  }

  /** Returns a connection to a cluster with one follower in each table. */
  private AsyncConnection connection() {
    List<TableDescriptor> tables =
        List.of(table("leaders", true), table("plain", false), table("others", true));
    AsyncAdmin admin =
        fake(AsyncAdmin.class, (method, first) -> CompletableFuture.completedFuture(tables));
    return fake(
        AsyncConnection.class,
        (method, first) ->
            switch (method) {
              case "getAdmin" -> admin;
              case "getRegionLocator" -> locator((TableName) first);
              default -> builder(((TableName) first).getNameAsString());
            });
  }

  private AsyncTableRegionLocator locator(TableName table) {
    ServerName server = ServerName.valueOf("server", 1, 1);
    byte[] middle = Bytes.utf8(firstEnd).toArray();
    return fake(
        AsyncTableRegionLocator.class,
        (method, row) -> {
          boolean isFirst = Arrays.compare((byte[]) row, middle) < 0;
          RegionInfoBuilder region =
              RegionInfoBuilder.newBuilder(table)
                  .setStartKey(isFirst ? new byte[0] : middle)
                  .setEndKey(isFirst ? middle : new byte[0]);
          return CompletableFuture.completedFuture(new HRegionLocation(region.build(), server));
        });
  }

  private AsyncTableBuilder<?> builder(String name) {
    AsyncTable<?> table =
        fake(
            AsyncTable.class,
            (method, first) ->
                method.equals("getScanner") ? scanner(name, (Scan) first) : take(name, first));
    AsyncTableBuilder<?>[] builder = new AsyncTableBuilder<?>[1];
    builder[0] =
        fake(
            AsyncTableBuilder.class,
            (method, first) -> method.equals("build") ? table : builder[0]);
    return builder[0];
  }

  private ResultScanner scanner(String table, Scan scan) {
    InspectionPass pass =
        InspectionPass.decode(scan.getAttribute(TableSettings.INSPECTION_ATTRIBUTE));
    assertThat(pass.isInTime(nowMillis)).isTrue();
    nowMillis += InspectionPass.LONGEST.minusMinutes(1).toMillis();
    String start = Bytes.wrap(scan.getStartRow()).toUtf8();
    scans.add(table + " " + start + "-" + Bytes.wrap(scan.getStopRow()).toUtf8());
    if (!start.isEmpty()) {
      return fake(ResultScanner.class, (method, first) -> null);
    }
    byte[] cell = TransactionCell.follower(LEADER, 1).encode();
    KeyValue pending =
        new KeyValue(
            Bytes.utf8("follower").toArray(),
            F.toArray(),
            Reserved.TRANSACTION.toArray(),
            START,
            cell);
    Iterator<Result> rows = List.of(Result.create(List.of(pending))).iterator();
    return fake(ResultScanner.class, (method, first) -> rows.hasNext() ? rows.next() : null);
  }

  private CompletableFuture<CheckAndMutateResult> take(String table, Object operation) {
    RegionRequest request =
        Carrier.regionRequest((OperationWithAttributes) ((CheckAndMutate) operation).getAction())
            .orElseThrow();
    Bytes row = ((Heal) request).rows().get(0);
    healed.add(table + " " + row.toUtf8());
    Outcome outcome = new Outcome(Optional.of(TransactionState.COMMITTED), 0, true);
    byte[] reply = new RegionReply(List.of(outcome)).encode();
    return CompletableFuture.completedFuture(
        new CheckAndMutateResult(
            true, Result.create(List.of(Carrier.proofCell(row.toArray(), reply)))));
  }

  private static TableDescriptor table(String name, boolean isTransactional) {
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F.toArray()));
    return isTransactional
        ? new TableSettings(Phase.ENABLED, ConflictLevel.ROW, Timestamps.PLAIN_LIMIT)
            .applyTo(table)
            .build()
        : table.build();
  }

  private interface Answers {
    Object to(String method, Object first);
  }

  private static <T> T fake(Class<T> type, Answers answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) ->
                answers.to(method.getName(), arguments == null ? null : arguments[0])));
  }
}
