package io.lampone.client.core.certify;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.IntentResolver;
import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.PostCommit;
import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.TransactionStore.Certification;
import io.lampone.client.core.TransactionStore.RangeCertification;
import io.lampone.client.core.TransactionStore.RangeFindings;
import io.lampone.client.core.range.RowRange;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.Tag;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Ranges with more undecided intents than one request carries judgments for. */
class RangeCertifierTest {

  private static final long START = Timestamps.PLAIN_LIMIT;
  private static final long COMMIT = START + 10_000 * Timestamps.TICK;
  private static final Bytes FAMILY = Bytes.utf8("f");

  private final List<Intent> stored = new ArrayList<>();
  private final List<CertifyScan> requests = new ArrayList<>();

  @Test
  void transactionsWithLongNamesAreJudgedInFewRounds() {
    IntStream.range(0, 600).forEach(i -> stored.add(intent(String.format("%04d", i), i)));
    assertThat(certify()).isCompletedWithValue(Optional.empty());
    assertThat(requests).hasSize(3);
  }

  /** Its first judgments must not give way to those of the rows behind it. */
  @Test
  void aRowWithSeveralIntentsIsJudgedWhole() {
    IntStream.range(0, 400).forEach(i -> stored.add(intent("a", i)));
    IntStream.range(0, 600).forEach(i -> stored.add(intent(String.format("b%04d", i), 400 + i)));
    IntStream.range(0, 440).forEach(i -> stored.add(intent("c", 3 * i)));
    assertThat(certify()).isCompletedWithValue(Optional.empty());
    assertThat(requests).hasSizeLessThan(10);
  }

  /** Of a transaction by number, whose leader is in a row of 500 bytes. */
  private static Intent intent(String row, int number) {
    RowFamily leader = new RowFamily("u", Bytes.utf8(String.format("%0500d", number)), FAMILY);
    return new Intent(
        new TransactionId(START + number * Timestamps.TICK, leader),
        new RowFamily("t", Bytes.utf8(row), FAMILY));
  }

  private CompletableFuture<Optional<TransactionStore.Changed>> certify() {
    TransactionStore store =
        (TransactionStore)
            Proxy.newProxyInstance(
                TransactionStore.class.getClassLoader(),
                new Class<?>[] {TransactionStore.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "certify" -> found((RangeCertification) arguments[0]);
                      case "readLeaders" -> absent((Collection<?>) arguments[0]);
                      default -> throw new AssertionError(method.getName());
                    });
    Certification wanted =
        new Certification(
            START,
            COMMIT,
            START,
            Tag.NONE,
            List.of(),
            SystemClock.INSTANCE.monotonicNanos() + TimeUnit.MINUTES.toNanos(1));
    Driver driver =
        new Driver(delay -> CompletableFuture.completedFuture(null), SystemClock.INSTANCE);
    return driver.start(
        new RangeCertifier(
                store, new IntentResolver(store, null, new PostCommit(store, 10)), wanted)
            .certify(
                new ScannedRange("t", ConflictLevel.ROW, Map.of(FAMILY, Set.of()), RowRange.ALL)));
  }

  /** As region servers do, by the request as it is sent. */
  private Step<RangeFindings> found(RangeCertification wanted) {
    CertifyScan sent = CertifyScan.decode(wanted.request().encode());
    requests.add(sent);
    List<Intent> undecided =
        stored.stream()
            .filter(intent -> wanted.range().rows().contains(intent.place().row()))
            .filter(intent -> !sent.judgments().containsKey(intent.id()))
            .toList();
    return Step.done(
        undecided.isEmpty()
            ? RangeFindings.UNCHANGED
            : new RangeFindings(Optional.empty(), undecided, undecided.get(0).place().row()));
  }

  private static Step<Map<Object, Outcome>> absent(Collection<?> ids) {
    Map<Object, Outcome> leaders = new HashMap<>();
    ids.forEach(id -> leaders.put(id, Outcome.NOTHING));
    return Step.done(leaders);
  }
}
