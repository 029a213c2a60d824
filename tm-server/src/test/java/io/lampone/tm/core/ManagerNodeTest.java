package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.oracle.EpochVerification;
import io.lampone.tm.core.validation.BatchOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Elections, leases and hand-made accidents, one at a time. */
final class ManagerNodeTest {

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration RENEW = Duration.ofMillis(500);
  private static final Duration AHEAD = Duration.ofSeconds(5);

  private final ManualClock clock = new ManualClock();
  private final SimulatedStore store = new SimulatedStore();

  private final class Node implements NodeListener {

    private final List<Long> epochs = new ArrayList<>();
    private final List<Retirement> retirements = new ArrayList<>();
    private boolean isSealed;
    private String successor = "";
    private final ManagerNode node;

    Node(String name) {
      ManagerSettings settings =
          new ManagerSettings(
              name,
              name + ":1",
              LEASE,
              RENEW,
              AHEAD,
              1000,
              1000,
              10,
              Retention.DEFAULT,
              Proofs.OPEN);
      node = new ManagerNode(settings, store, clock, Runnable::run, this);
    }

    @Override
    public void becamePrimary(long epoch) {
      epochs.add(epoch);
    }

    @Override
    public void sealed() {
      assertThat(isSealed).isFalse();
      isSealed = true;
    }

    @Override
    public void unsealed() {
      assertThat(isSealed).isTrue();
      isSealed = false;
    }

    @Override
    public void handedOver(String address) {
      successor = address;
    }

    @Override
    public void retired(Retirement retirement) {
      retirements.add(retirement);
    }

    void tick() {
      node.tick();
      store.settle();
    }

    Exchange ask() {
      return Exchange.with(node::handle, List.of(new WireRequest.Begin(1)));
    }

    long begin() {
      WireReply reply = ask().replies().get(0);
      return ((WireReply.Begun) reply).begin().startTimestamp();
    }

    boolean isSilent() {
      return ask().outcome() instanceof BatchOutcome.Silent;
    }
  }

  @Test
  void theFirstNodeTakesTheFirstEpochAtOnce() {
    Node node = elect("a");
    assertThat(node.epochs).containsExactly(1L);
    ManagerRecord record = store.record();
    assertThat(record.address()).isEqualTo("a:1");
    assertThat(record.floor()).isEqualTo(Timestamps.ceilingOfMillis(clock.wallMillis()));
    assertThat(node.begin()).isEqualTo(record.floor()).isLessThan(record.bound());
  }

  @Test
  void aBackupNeverAnswers() {
    Node node = new Node("a");
    assertThat(node.isSilent()).isTrue();
    elect("b");
    node.tick();
    assertThat(node.isSilent()).isTrue();
    assertThat(node.node.leading()).isEmpty();
  }

  @Test
  void aBackupWaitsUntilTheLeaseCannotBeHeldAnyMore() {
    Node first = elect("a");
    long last = first.begin();
    Node second = new Node("b");
    second.tick();
    clock.advance(LEASE);
    second.tick();
    assertThat(second.epochs).isEmpty();
    assertThat(first.isSilent()).isTrue();
    clock.advance(Duration.ofMillis(250));
    second.tick();
    assertThat(second.epochs).containsExactly(2L);
    assertThat(second.begin()).isGreaterThan(last);
    assertThat(store.record().floor()).isGreaterThan(last);
  }

  @Test
  void aBackupWaitsAnewWheneverTheRecordChanges() {
    Node first = elect("a");
    Node second = new Node("b");
    for (int i = 0; i < 20; i++) {
      clock.advance(RENEW);
      first.tick();
      second.tick();
      assertThat(first.isSilent()).isFalse();
    }
    assertThat(second.epochs).isEmpty();
  }

  /** Trap D1. */
  @Test
  void aPrimaryThatWasPausedBeyondItsLeaseIsSilentUntilItHasRenewed() {
    Node node = elect("a");
    clock.advance(LEASE);
    assertThat(node.isSilent()).isTrue();
    assertThat(node.node.leading()).isEmpty();
    node.tick();
    assertThat(node.isSilent()).isFalse();
    assertThat(node.retirements).isEmpty();
    clock.pauseAtNextReading(LEASE); // while it answers
    assertThat(node.isSilent()).isTrue();
  }

  @Test
  void aPrimaryThatWasSupersededWhilePausedRetires() {
    Node first = elect("a");
    supersede("b");
    assertThat(first.isSilent()).isTrue();
    first.tick();
    assertThat(first.retirements).containsExactly(NodeListener.Retirement.SUPERSEDED);
    assertThat(first.isSilent()).isTrue();
  }

  /** Trap D2. */
  @Test
  void theLeaseDoesNotCareForTheWallClock() {
    Node node = elect("a");
    clock.stepWall(Duration.ofDays(7));
    assertThat(node.isSilent()).isFalse();
    clock.stepWall(Duration.ofDays(-14));
    assertThat(node.isSilent()).isFalse();
    clock.advance(LEASE);
    clock.stepWall(LEASE.negated());
    assertThat(node.isSilent()).isTrue();
  }

  /** Trap D3, finding R10. */
  @Test
  void aRestartNeverRepeatsATimestampWhateverTheClockSays() {
    long last = 0;
    for (int i = 0; i < 5; i++) {
      Node node = elect("node" + i);
      for (int j = 0; j < 100; j++) {
        long timestamp = node.begin();
        assertThat(timestamp).isGreaterThan(last);
        last = timestamp;
      }
      clock.stepWall(Duration.ofDays(-7));
      clock.advance(LEASE.multipliedBy(2));
    }
    assertThat(store.record().epoch()).isEqualTo(5);
  }

  @Test
  void theLeaseRunsFromTheSendingOfTheRenewal() {
    Node node = elect("a");
    clock.advance(RENEW);
    node.node.tick();
    clock.advance(Duration.ofMillis(1200));
    store.underWay().remove(0).succeed(); // acknowledged 1.2 s after it was sent
    assertThat(node.isSilent()).isFalse();
    clock.advance(Duration.ofMillis(500));
    assertThat(node.isSilent()).isFalse();
    clock.advance(Duration.ofMillis(100)); // 1.8 s after it was sent
    assertThat(node.isSilent()).isTrue();
  }

  /** Finding R10: the new bound may be in the record, but this node does not know. */
  @Test
  void afterALostReplyTheOldBoundHolds() {
    Node node = elect("a");
    long bound = store.record().bound();
    clock.advance(RENEW);
    node.node.tick();
    store.underWay().remove(0).loseReply();
    assertThat(store.record().bound()).isGreaterThan(bound);
    assertThat(
            Exchange.with(node.node::handle, List.of(new WireRequest.Status(1, bound, 0)))
                .outcome())
        .isEqualTo(new BatchOutcome.Suspicious(bound));
    // It reads, finds its own write, and writes again on top of it.
    long written = store.record().bound();
    node.tick();
    assertThat(store.record().bound()).isGreaterThanOrEqualTo(written);
    assertThat(store.record().epoch()).isEqualTo(1);
    assertThat(node.isSilent()).isFalse();
  }

  @Test
  void aRenewalThatIsAppliedLateDoesNoHarm() {
    Node node = elect("a");
    clock.advance(RENEW);
    node.node.tick();
    SimulatedStore.Operation<?> late = store.underWay().remove(0);
    late.failOnly();
    node.node.tick(); // reads: nothing has changed
    store.underWay().remove(0).succeed();
    late.happenLate();
    store.settle();
    assertThat(node.retirements).isEmpty();
    clock.advance(RENEW);
    node.tick();
    assertThat(node.isSilent()).isFalse();
  }

  /** Trap D4: there is no state in which a node is elected but has no timestamps. */
  @Test
  void aTakeoverWhoseReplyIsLostIsTakenAgainWithoutWaiting() {
    Node node = new Node("a");
    node.node.tick();
    store.underWay().remove(0).succeed();
    store.underWay().remove(0).loseReply();
    assertThat(store.record().epoch()).isEqualTo(1);
    long bound = store.record().bound();
    assertThat(node.isSilent()).isTrue();
    node.tick();
    assertThat(node.epochs).containsExactly(2L);
    assertThat(node.begin()).isGreaterThan(bound);
  }

  @Test
  void onlyOneOfTwoBackupsTakesTheEpoch() {
    elect("a");
    Node b = new Node("b");
    Node c = new Node("c");
    b.tick();
    c.tick();
    clock.advance(LEASE.multipliedBy(2));
    b.node.tick();
    c.node.tick();
    store.settle();
    assertThat(b.epochs.size() + c.epochs.size()).isEqualTo(1);
    assertThat(store.record().epoch()).isEqualTo(2);
  }

  @Test
  void aReleasedLeaseIsTakenAtOnceAndTheFloorRisesAllTheSame() {
    Node first = elect("a");
    long last = first.begin();
    first.node.release();
    assertThat(first.isSilent()).isTrue();
    store.settle();
    assertThat(first.retirements).containsExactly(NodeListener.Retirement.RELEASED);
    assertThat(store.record().released()).isTrue();
    assertThat(store.record().address()).isEmpty();
    Node second = elect("b");
    assertThat(second.epochs).containsExactly(2L);
    assertThat(store.record().floor()).isGreaterThan(last);
  }

  /** Finding M14. */
  @Test
  void aSuspiciousTimestampDeposesOnlyWhomeverTheEpochHasLeft() {
    Node first = elect("a");
    CompletableFuture<Void> verified = first.node.verifyEpoch();
    store.settle();
    assertThat(verified).isCompleted();
    assertThat(first.retirements).isEmpty();

    // A clock that runs too slowly: it still believes in its lease.
    supersede("b");
    verified = first.node.verifyEpoch();
    assertThat(first.retirements).isEmpty();
    store.settle();
    assertThat(verified).isCompletedExceptionally();
    assertThat(first.retirements).containsExactly(NodeListener.Retirement.SUPERSEDED);
  }

  @Test
  void aSuspicionIsSettledByAReadSentAfterIt() {
    Node first = elect("a");
    first.node.verifyEpoch();
    SimulatedStore.Operation<?> early = store.underWay().remove(0);
    early.succeed();
    clock.advance(EpochVerification.PAUSE);
    CompletableFuture<Void> one = first.node.verifyEpoch();
    CompletableFuture<Void> two = first.node.verifyEpoch();
    store.underWay().remove(0).succeed();
    assertThat(one).isCompleted();
    assertThat(two).isNotCompleted();
    assertThat(store.underWay()).isEmpty();
    clock.advance(EpochVerification.PAUSE);
    first.node.tick();
    store.underWay().remove(0).succeed();
    assertThat(two).isCompleted();
  }

  /**
   * Trap D11: clients that make up timestamps without end, each of them worth a look at the record.
   */
  @Test
  void suspicionsWithoutEndKeepNobodyFromRenewing() {
    Node node = elect("a");
    long sequence = store.record().leaseSequence();
    for (int i = 0; i < 100; i++) {
      clock.advance(Duration.ofMillis(50));
      node.node.tick();
      node.node.verifyEpoch();
      if (!store.underWay().isEmpty()) {
        store.underWay().remove(0).succeed();
      }
      node.node.verifyEpoch();
      assertThat(node.isSilent()).as("after %d ms", (i + 1) * 50).isFalse();
    }
    assertThat(store.record().leaseSequence()).isGreaterThan(sequence + 5);
    assertThat(store.reads()).isLessThanOrEqualTo(60);
  }

  /** The same with a store that takes half a second for everything (D12). */
  @Test
  void suspicionsWithoutEndCostNothingWithASlowStoreEither() {
    Node node = elect("a");
    for (int i = 0; i < 40; i++) {
      node.node.tick();
      node.node.verifyEpoch();
      for (int step = 0; step < 10; step++) {
        clock.advance(Duration.ofMillis(50));
        node.node.verifyEpoch();
        assertThat(node.isSilent()).isFalse();
      }
      store.underWay().remove(0).succeed();
    }
  }

  /** That it was applied says as much as a read: nobody had taken the epoch when it was sent. */
  @Test
  void aRenewalSettlesASuspicionToo() {
    Node first = elect("a");
    clock.advance(RENEW);
    CompletableFuture<Void> verified = first.node.verifyEpoch();
    long before = store.record().leaseSequence();
    store.underWay().remove(0).succeed();
    assertThat(store.record().leaseSequence()).isEqualTo(before + 1);
    assertThat(verified).isCompleted();

    clock.advance(RENEW);
    CompletableFuture<Void> lost = first.node.verifyEpoch();
    store.underWay().remove(0).loseReply();
    assertThat(lost).isNotCompleted();
    first.tick();
    assertThat(lost).isCompleted();
  }

  @Test
  void aSafePointIsRefusedBelowBeforeItIsPublished() {
    Node node = elect("a");
    long below = node.begin();
    long safePoint = node.begin();
    CompletableFuture<Long> published = node.node.advanceSafePoint(safePoint);
    assertThat(published).isNotCompleted();
    assertThat(store.record().safePoint()).isZero();
    WireRequest validate =
        new WireRequest.Validate(
            2,
            new Validator.Request(
                below, Proofs.OPEN.grant(below, 0), true, new long[] {1}, new long[] {1}));
    assertThat(Exchange.with(node.node::handle, List.of(validate)).toString())
        .contains("BELOW_SAFE_POINT");
    store.underWay().remove(0).loseReply();
    assertThat(published).isNotCompleted();
    node.tick();
    assertThat(published).isCompletedWithValue(safePoint);
    assertThat(store.record().safePoint()).isEqualTo(safePoint);
    clock.advance(LEASE.multipliedBy(2));
    elect("b");
    assertThat(store.record().safePoint()).isEqualTo(safePoint);
  }

  @Test
  void theBoundStaysAheadOfNeedUnderLoad() {
    Node node = elect("a");
    long last = 0;
    for (int i = 0; i < 2_000; i++) {
      clock.advance(Duration.ofMillis(50));
      node.tick();
      long timestamp = node.begin();
      assertThat(timestamp).isGreaterThan(last).isLessThan(store.record().bound());
      last = timestamp;
    }
  }

  /** Trap D12. */
  @Test
  void aStoreThatTakesHalfASecondForEverythingCostsNothing() {
    Node node = elect("a");
    Duration slow = Duration.ofMillis(500);
    for (int i = 0; i < 100; i++) {
      clock.advance(Duration.ofMillis(50));
      node.node.tick();
      for (int j = store.underWay().size(); j > 0; j--) {
        clock.advance(slow);
        assertThat(node.isSilent()).isFalse();
        store.underWay().remove(0).succeed();
      }
      assertThat(node.isSilent()).isFalse();
    }
  }

  @Test
  void aStoreThatFailsForLong_isLoggedOnceAMinute() {
    Logger log = (Logger) LoggerFactory.getLogger(ManagerNode.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    log.addAppender(lines);
    log.setLevel(Level.WARN);
    log.setAdditive(false);
    try {
      Node node = elect("a");
      int failures = 0;
      for (int i = 0; i < 10 * 60 * 2; i++) {
        clock.advance(Duration.ofMillis(50));
        node.node.tick();
        for (; !store.underWay().isEmpty(); failures++) {
          store.underWay().remove(0).failOnly();
        }
        clock.advance(Duration.ofMillis(450));
      }
      assertThat(failures).isGreaterThan(100);
      assertThat(lines.list)
          .filteredOn(line -> line.getFormattedMessage().startsWith("record store failed"))
          .hasSizeBetween(9, 11)
          .allSatisfy(line -> assertThat(line.getFormattedMessage()).contains(" times="));
    } finally {
      log.setAdditive(true);
      log.setLevel(null);
      log.detachAppender(lines);
    }
  }

  /** A new node that has become the primary. */
  private Node elect(String name) {
    Node node = new Node(name);
    node.tick();
    if (node.epochs.isEmpty()) {
      clock.advance(LEASE.multipliedBy(2));
      node.tick();
    }
    assertThat(node.epochs).hasSize(1);
    return node;
  }

  /** Lets another node take the epoch while the present primary is not scheduled. */
  private void supersede(String name) {
    assertThat(elect(name).epochs).isNotEmpty();
  }
}
