package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Where the observer stands among the coprocessors of a region. The cluster loads another one and
 * then HBase's authorizer for every region, as many installations do: so the authorizer's priority
 * is one above that of a system coprocessor.
 */
class CoprocessorOrderIT {

  /** Priority that the observer had before it became the last one. */
  private static final int FORMER_PRIORITY = 536_870_911;

  private static final Bytes F = Bytes.utf8("f");
  private static final Bytes Q = Bytes.utf8("q");
  private static final Bytes ROW = Bytes.utf8("r1");
  private static final String STRANGER = "stranger";

  private static TinyCluster cluster;

  private long base;
  private TestTable table;

  /** An observer that does nothing. */
  public static final class Bystander implements RegionCoprocessor {}

  @BeforeAll
  static void start() throws Exception {
    cluster =
        GuardedCluster.start(
            String.join(
                ",",
                Bystander.class.getName(),
                AccessController.class.getName(),
                WrappingObserver.class.getName()));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void createTable(TestInfo test) throws Exception {
    base = cluster.ticks().next();
    cluster.publish(Ticks.record(base, base));
    table = new TestTable(cluster.connection(), "c-" + test.getTestMethod().get().getName());
    table.createPlain(null, "f");
  }

  @Test
  void aStrangerReadsNothingBecauseTheAuthorizerIsAskedFirst() throws Exception {
    enable(TableSettings.COPROCESSOR_PRIORITY);
    commitRow(ROW);
    try (Connection connection = GuardedCluster.connectionOf(cluster, STRANGER)) {
      TestTable theirs = new TestTable(connection, table.name().getNameAsString());
      denied(() -> new FastTable(cluster, theirs, base).get(ROW, FastReadRequest.of(0, 0, false)));
      denied(() -> theirs.leader(theirs.place(ROW, F), base, base));
      denied(() -> theirs.get(new Get(ROW.toArray()), snapshot()));
      denied(() -> theirs.scan(new Scan(), snapshot()));
      denied(
          () -> {
            Scan inspection = new Scan();
            inspection.setAttribute(TableSettings.INSPECTION_ATTRIBUTE, new byte[] {1});
            TestTable.plainScan(connection, table.name(), inspection);
          });
    }
    assertThat(table.get(new Get(ROW.toArray()), snapshot())).isNotEmpty();
  }

  @Test
  void withAnAuthorizerBehindItTheObserverRefusesEverythingAndSaysWho() throws Exception {
    enable(FORMER_PRIORITY);
    String region = region().getRegionInfo().getEncodedName();
    for (ThrowingCallable request : requests()) {
      assertThatThrownBy(request)
          .satisfies(
              failure -> {
                Refusal refusal = TestTable.refusalIn(failure);
                assertThat(refusal).as("%s", failure).isNotNull();
                assertThat(refusal.code()).isEqualTo(Code.MISPLACED);
                assertThat(refusal.detail())
                    .contains(AccessController.class.getName())
                    .contains(region);
              });
    }
    enable(TableSettings.COPROCESSOR_PRIORITY);
    commitRow(ROW);
    assertThat(table.get(new Get(ROW.toArray()), snapshot())).isNotEmpty();
  }

  @Test
  void anObserverOfTheTableThatIsLoadedLaterAtTheSamePriorityStandsBehind() throws Exception {
    enable(TableSettings.COPROCESSOR_PRIORITY);
    alter(
        with ->
            with.setCoprocessor(
                CoprocessorDescriptorBuilder.newBuilder(WrappedAgain.class.getName())
                    .setPriority(TableSettings.COPROCESSOR_PRIORITY)
                    .build()));
    assertThatThrownBy(() -> table.scan(new Scan(), snapshot()))
        .satisfies(
            failure -> {
              assertThat(TestTable.refusalIn(failure).code()).isEqualTo(Code.MISPLACED);
              assertThat(failure).hasStackTraceContaining(WrappedAgain.class.getName());
            });
    alter(with -> with.removeCoprocessor(WrappedAgain.class.getName()));
    assertThat(table.scan(new Scan(), snapshot())).isEmpty();
  }

  /** A foreign observer of one table. */
  public static final class WrappedAgain implements RegionCoprocessor {}

  @Test
  void aChainThatIsLoadedAnewUnderAnOpenRegionIsLookedAtAgain() throws Exception {
    enable(FORMER_PRIORITY + 10);
    commitRow(ROW);
    HRegion region = region();
    Configuration before = hosting().getConfiguration();
    Configuration changed = new Configuration(before);
    changed.set(
        CoprocessorHost.REGION_COPROCESSOR_CONF_KEY,
        before.get(CoprocessorHost.REGION_COPROCESSOR_CONF_KEY)
            + ","
            + WrappedAgain.class.getName()
            + "|"
            + (Integer.MAX_VALUE - 1));
    region.onConfigurationChange(changed);
    assertThatThrownBy(() -> table.get(new Get(ROW.toArray()), snapshot()))
        .satisfies(
            failure ->
                assertThat(TestTable.refusalIn(failure))
                    .as("%s", failure)
                    .extracting(Refusal::code)
                    .isEqualTo(Code.MISPLACED));
    changed.set(CoprocessorHost.REGION_COPROCESSOR_CONF_KEY, AccessController.class.getName());
    region.onConfigurationChange(changed);
    assertThat(table.get(new Get(ROW.toArray()), snapshot())).isNotEmpty();
  }

  @Test
  void aScanThatAnotherObserverWrapsIsCheckedAtEveryBatch() throws Exception {
    enable(TableSettings.COPROCESSOR_PRIORITY);
    commitRow(ROW);
    commitRow(Bytes.utf8("r2"));
    long snapshot = cluster.ticks().next();
    Scan scan = scanOfOwn(snapshot);
    try (RawScanner owner = rawOf(owner())) {
      long scanner = owner.open(region().getRegionInfo(), scan);
      assertThat(owner.next(scanner, 1)).isEqualTo(1);
      long safePoint = cluster.ticks().next();
      cluster.publish(Ticks.record(base, safePoint));
      TestObserver observer = region().getCoprocessorHost().findCoprocessor(TestObserver.class);
      TinyCluster.await(() -> observer.open().safePointOfServer() >= safePoint);
      assertThatThrownBy(() -> owner.next(scanner, 1))
          .satisfies(
              failure ->
                  assertThat(TestTable.refusalIn(failure).code()).isEqualTo(Code.BELOW_SAFE_POINT));
    }
  }

  @Test
  void aScannerBelongsToTheUserWhoOpenedIt() throws Exception {
    enable(TableSettings.COPROCESSOR_PRIORITY);
    commitRow(ROW);
    commitRow(Bytes.utf8("r2"));
    try (RawScanner owner = rawOf(owner());
        RawScanner stranger = rawOf(STRANGER)) {
      Scan scan = scanOfOwn(cluster.ticks().next());
      long scanner = owner.open(region().getRegionInfo(), scan);
      assertThat(owner.next(scanner, 1)).isEqualTo(1);
      denied(() -> stranger.next(scanner, 1));
      // HBase closes a scanner upon which a call has failed, by any user.
      long another = owner.open(region().getRegionInfo(), scan);
      denied(() -> stranger.close(another));
    }
  }

  private List<ThrowingCallable> requests() {
    return List.of(
        () -> new FastTable(cluster, table, base).get(ROW, FastReadRequest.of(0, 0, false)),
        () -> table.leader(table.place(ROW, F), base, base),
        () -> table.get(new Get(ROW.toArray()), snapshot()),
        () -> table.scan(new Scan(), snapshot()),
        () -> table.send(flush(cluster.ticks().next(), ROW)),
        () -> new FastTable(cluster, table, base).put(ROW, "v"));
  }

  private void commitRow(Bytes row) throws IOException {
    new FastTable(cluster, table, base).put(row, "v");
  }

  private Flush flush(long start, Bytes row) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8("v"));
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cell));
    return new Flush(
        start,
        base,
        ConflictLevel.ROW,
        table.place(ROW, F),
        1,
        List.of(new RowIntents(row, List.of(family))),
        Proofs.OPEN.grant(start, 0));
  }

  private ReadRequest snapshot() {
    long now = cluster.ticks().next();
    return new ReadRequest(now, false, base, SlotSet.NONE, Map.of(), Ticks.begun(now));
  }

  private Scan scanOfOwn(long snapshot) {
    Scan scan = new Scan().addFamily(F.toArray()).addFamily(Reserved.PROOF_FAMILY.toArray());
    scan.setAttribute(
        ReadRequest.ATTRIBUTE,
        new ReadRequest(snapshot, false, base, SlotSet.NONE, Map.of(), Ticks.begun(snapshot))
            .encode());
    return scan;
  }

  private void enable(int priority) throws IOException {
    table.enable(TestTable.enabled(ConflictLevel.ROW, base), priority);
  }

  private interface Change {
    TableDescriptorBuilder of(TableDescriptorBuilder table) throws IOException;
  }

  private void alter(Change change) throws IOException {
    try (Admin admin = cluster.connection().getAdmin()) {
      TableDescriptorBuilder changed =
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(table.name()));
      admin.modifyTable(change.of(changed).build());
    }
  }

  private HRegion region() {
    return hosting().getRegions(table.name()).get(0);
  }

  private HRegionServer hosting() {
    for (int i = 0; i < 2; i++) {
      if (!cluster.server(i).getRegions(table.name()).isEmpty()) {
        return cluster.server(i);
      }
    }
    throw new AssertionError("no server has the region");
  }

  private RawScanner rawOf(String user) {
    return new RawScanner(cluster, hosting(), user);
  }

  private static String owner() throws IOException {
    return org.apache.hadoop.hbase.security.User.getCurrent().getShortName();
  }

  private static void denied(ThrowingCallable request) {
    assertThatThrownBy(request)
        .satisfies(
            failure -> assertThat(GuardedCluster.isDenied(failure)).as("%s", failure).isTrue());
  }
}
