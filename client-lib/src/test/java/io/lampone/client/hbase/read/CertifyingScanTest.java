package io.lampone.client.hbase.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.TransactionStore.Certification;
import io.lampone.client.core.TransactionStore.Changed;
import io.lampone.client.core.TransactionStore.RangeCertification;
import io.lampone.client.core.TransactionStore.RangeFindings;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.range.RowPosition;
import io.lampone.client.core.range.RowRange;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.HBaseStore;
import io.lampone.client.hbase.transport.AsyncRegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.client.hbase.transport.StoreMetrics;
import io.lampone.client.hbase.transport.StoreSettings;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Tag;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer.ScanController;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.Test;

/** Certifications of ranges as they are sent, and their answers. */
class CertifyingScanTest {

  private static final long START = Timestamps.PLAIN_LIMIT;
  private static final long COMMIT = START + 4 * Timestamps.TICK;
  private static final long OTHER = START + Timestamps.TICK;
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final RowFamily LEADER = new RowFamily("u", Bytes.utf8("leader"), FAMILY);
  private static final RowRange ROWS =
      new RowRange(
          RowPosition.start(Bytes.utf8("a"), false), RowPosition.stop(Bytes.utf8("m"), true));

  private final List<Scan> scans = new ArrayList<>();
  private int terminated;
  private Duration lifetime = Duration.ofMinutes(1);
  private Consumer<AdvancedScanResultConsumer> server = AdvancedScanResultConsumer::onComplete;

  private final ScanController controller =
      fake(
          ScanController.class,
          arguments -> {
            terminated++;
            return null;
          });

  private final StoreAccess access =
      new StoreAccess(
          connection(),
          new AsyncRegionTransport(connection(), StoreSettings.DEFAULT, SystemClock.INSTANCE),
          new StoreSettings(Duration.ofSeconds(10), 1 << 20, 10),
          new Driver(delay -> CompletableFuture.completedFuture(null), SystemClock.INSTANCE),
          new Random(1),
          new StoreMetrics());

  @Test
  void theScanNamesExactlyWhatWasRead() {
    assertThat(certify(Set.of(Bytes.utf8("q")), Map.of()))
        .isCompletedWithValue(RangeFindings.UNCHANGED);
    Scan sent = scans.get(0);
    assertThat(sent.getStartRow()).isEqualTo(Bytes.utf8("a").toArray());
    assertThat(sent.includeStartRow()).isFalse();
    assertThat(sent.getStopRow()).isEqualTo(Bytes.utf8("m").toArray());
    assertThat(sent.includeStopRow()).isTrue();
    assertThat(sent.getFamilyMap()).containsOnlyKeys(FAMILY.toArray(), proofFamily());
    assertThat(sent.getFamilyMap().get(FAMILY.toArray()))
        .containsExactly(Bytes.utf8("q").toArray());
    assertThat(sent.getFilter()).isNull();
    CertifyScan request = Carrier.certifyScan(sent).orElseThrow();
    assertThat(request.startTimestamp()).isEqualTo(START);
    assertThat(request.commitTimestamp()).isEqualTo(COMMIT);
    assertThat(request.level()).isEqualTo(ConflictLevel.ROW);
    assertThat(request.judgments()).isEmpty();
  }

  private static byte[] proofFamily() {
    return Reserved.PROOF_FAMILY.toArray();
  }

  @Test
  void judgmentsAreSentAlong() {
    Map<TransactionId, Fate> judgments = Map.of(new TransactionId(OTHER, LEADER), Fate.INVISIBLE);
    certify(Set.of(), judgments);
    assertThat(Carrier.certifyScan(scans.get(0)).orElseThrow().judgments()).isEqualTo(judgments);
  }

  @Test
  void aChangeNamesItsRowAndEndsTheScan() {
    server = consumer -> consumer.onNext(new Result[] {changed("c", COMMIT)}, controller);
    assertThat(certify(Set.of(), Map.of()))
        .isCompletedWithValue(
            new RangeFindings(
                Optional.of(new Changed(new RowFamily("t", Bytes.utf8("c"), Bytes.EMPTY), OTHER)),
                List.of(),
                Bytes.EMPTY));
    assertThat(terminated).isOne();
  }

  @Test
  void pointersOfABatchAreResolvedTogether_fromTheFirstOn() {
    server = consumer -> consumer.onNext(new Result[] {pointing("b"), pointing("d")}, controller);
    assertThat(certify(Set.of(Bytes.utf8("q")), Map.of()))
        .isCompletedWithValueMatching(
            found ->
                found.changed().isEmpty()
                    && found.from().equals(Bytes.utf8("b"))
                    && found.undecided().stream()
                        .map(Intent::id)
                        .allMatch(new TransactionId(OTHER, LEADER)::equals)
                    && found.undecided().stream()
                        .allMatch(intent -> intent.qualifier().equals(Bytes.utf8("q")))
                    && found.undecided().size() == 2);
    assertThat(terminated).isOne();
  }

  @Test
  void noMoreAreResolvedAtOnceThanARequestTakesJudgments() {
    Result[] many = new Result[RequestLimits.MAX_JUDGMENTS + 5];
    for (int i = 0; i < many.length; i++) {
      many[i] = pointing("b" + i);
    }
    server = consumer -> consumer.onNext(many, controller);
    assertThat(certify(Set.of(), Map.of()))
        .isCompletedWithValueMatching(
            found ->
                found.undecided().size() == RequestLimits.MAX_JUDGMENTS
                    && found.from().equals(Bytes.utf8("b0")));
  }

  @Test
  void aChangeBehindAPointerOfTheSameBatchCounts() {
    server =
        consumer -> consumer.onNext(new Result[] {pointing("b"), changed("d", COMMIT)}, controller);
    assertThat(certify(Set.of(), Map.of()))
        .isCompletedWithValueMatching(found -> found.changed().isPresent());
  }

  @Test
  void whatIsRefusedForNowIsSentAgain() {
    server =
        consumer -> {
          server = AdvancedScanResultConsumer::onComplete;
          consumer.onError(
              new RefusalException(Refusal.of(Refusal.Code.NOT_READY, "refused by the fake")));
        };
    assertThat(certify(Set.of(), Map.of())).isCompletedWithValue(RangeFindings.UNCHANGED);
    assertThat(scans).hasSize(2);
  }

  /** To a region server of before it is a read of an unknown format. */
  @Test
  void anOlderRegionServerIsNamedInTheError() {
    server =
        consumer ->
            consumer.onError(
                new RefusalException(Refusal.of(Refusal.Code.MALFORMED, "refused by the fake")));
    assertThat(failure(certify(Set.of(), Map.of())))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("SERIALIZABLE needs region servers");
    assertThat(scans).hasSize(1);
  }

  @Test
  void cellsOrAReplyToAnotherCertificationAreNoAnswer() {
    Result cells =
        Result.create(
            List.of(
                new KeyValue(
                    Bytes.utf8("b").toArray(),
                    FAMILY.toArray(),
                    Bytes.utf8("q").toArray(),
                    OTHER,
                    Bytes.utf8("v").toArray())));
    for (Result wrong : List.of(cells, changed("b", COMMIT + Timestamps.TICK))) {
      server = consumer -> consumer.onNext(new Result[] {wrong}, controller);
      assertThat(failure(certify(Set.of(), Map.of()))).isInstanceOf(StoreRefusedException.class);
    }
  }

  @Test
  void aScanThatFindsNothingEndsWithItsTransaction() {
    server =
        consumer -> {
          consumer.onHeartbeat(controller);
          consumer.onComplete();
        };
    assertThat(certify(Set.of(), Map.of())).isCompletedWithValue(RangeFindings.UNCHANGED);
    lifetime = Duration.ZERO;
    assertThat(failure(certify(Set.of(), Map.of()))).hasMessageContaining("longer than");
    assertThat(terminated).isOne();
  }

  private static Throwable failure(CompletableFuture<?> failed) {
    assertThat(failed).isCompletedExceptionally();
    return failed.handle((value, failure) -> StoreFailures.unwrap(failure)).join();
  }

  private CompletableFuture<RangeFindings> certify(
      Set<Bytes> columns, Map<TransactionId, Fate> judgments) {
    return access
        .driver()
        .start(
            new HBaseStore(access)
                .certify(
                    new RangeCertification(
                        new Certification(
                            START,
                            COMMIT,
                            START,
                            Tag.NONE,
                            List.of(),
                            SystemClock.INSTANCE.monotonicNanos() + lifetime.toNanos()),
                        new ScannedRange("t", ConflictLevel.ROW, Map.of(FAMILY, columns), ROWS),
                        judgments)));
  }

  private static Result changed(String row, long commit) {
    byte[] reply = new FastReadReply(commit, OTHER, 0).encode();
    return Result.create(List.of(Carrier.proofCell(Bytes.utf8(row).toArray(), reply)));
  }

  private static Result pointing(String row) {
    KeyValue undecided =
        new KeyValue(
            Bytes.utf8(row).toArray(),
            FAMILY.toArray(),
            Reserved.TRANSACTION.toArray(),
            OTHER,
            new byte[0]);
    return Result.create(
        List.of(Carrier.pointerCell(undecided, OTHER, TransactionCell.follower(LEADER, 0))));
  }

  private AsyncConnection connection() {
    AsyncTable<?> table =
        fake(
            AsyncTable.class,
            arguments -> {
              scans.add((Scan) arguments[0]);
              server.accept((AdvancedScanResultConsumer) arguments[1]);
              return null;
            });
    AsyncTableBuilder<?>[] builder = new AsyncTableBuilder<?>[1];
    builder[0] = fake(AsyncTableBuilder.class, arguments -> arguments == null ? table : builder[0]);
    return fake(AsyncConnection.class, arguments -> builder[0]);
  }

  private static <T> T fake(Class<T> type, Function<Object[], Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.apply(arguments)));
  }
}
