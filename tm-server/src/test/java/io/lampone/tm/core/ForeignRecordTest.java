package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.ProofsFrom;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.validation.BatchOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The record in ZooKeeper is changed by a foreign hand (protocol page, section 7). */
final class ForeignRecordTest {

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration RENEW = Duration.ofMillis(500);
  private static final long YEAR_2200 = Timestamps.ceilingOfMillis(7_258_118_400_000L);

  private final ManualClock clock = new ManualClock();
  private final SimulatedStore store = new SimulatedStore();

  private final class Node implements NodeListener {

    private final List<Retirement> retirements = new ArrayList<>();
    private long epoch;
    private int tampered;
    private final ManagerNode node;

    Node(String name) {
      ManagerSettings settings =
          new ManagerSettings(
              name,
              name + ":1",
              LEASE,
              RENEW,
              Duration.ofSeconds(5),
              1000,
              1000,
              10,
              Retention.DEFAULT,
              Proofs.OPEN);
      node = new ManagerNode(settings, store, clock, Runnable::run, this);
    }

    @Override
    public void becamePrimary(long taken) {
      epoch = taken;
    }

    @Override
    public void recordTampered() {
      tampered++;
    }

    @Override
    public void sealed() {}

    @Override
    public void unsealed() {}

    @Override
    public void handedOver(String address) {}

    @Override
    public void retired(Retirement retirement) {
      retirements.add(retirement);
    }

    void tick() {
      node.tick();
      store.settle();
    }

    long begin() {
      WireReply reply =
          Exchange.with(node::handle, List.of(new WireRequest.Begin(1))).replies().get(0);
      return ((WireReply.Begun) reply).begin().startTimestamp();
    }
  }

  /** Finding Z1. */
  @Test
  void aPrimaryTakesNoValueOverFromAForeignHand() {
    Node node = elect("a");
    long before = node.begin();
    long floor = store.record().floor();
    store.overwrite(record -> with(record, YEAR_2200, YEAR_2200, before));
    renew(node);
    assertThat(store.record().safePoint()).isZero();
    assertThat(store.record().floor()).isEqualTo(floor);
    assertThat(store.record().bound()).isLessThan(tick(Duration.ofMinutes(1)));
    assertThat(node.begin()).isGreaterThan(before).isLessThan(store.record().bound());
    assertThat(node.retirements).isEmpty();
    assertThat(node.tampered).isEqualTo(1);
  }

  /** Region servers believe what committed below it without a proof. */
  @Test
  void fromWhenOnCommitsAreProvedIsStatedOnce() {
    Node first = elect("a");
    ProofsFrom from = store.record().proofsFrom().orElseThrow();
    assertThat(from).isEqualTo(Proofs.OPEN.proofsFrom(store.record().floor()));
    assertThat(first.begin()).isGreaterThanOrEqualTo(from.timestamp());
    ProofsFrom forged = new ProofsFrom(from.timestamp() + (1L << 40), from.tag());
    for (Optional<ProofsFrom> foreign :
        List.of(Optional.<ProofsFrom>empty(), Optional.of(forged))) {
      store.overwrite(record -> record.withProofsFrom(foreign));
      renew(first);
      assertThat(store.record().proofsFrom()).contains(from);
    }
    Node second = new Node("b");
    waitOut(second);
    assertThat(second.epoch).isGreaterThan(first.epoch);
    assertThat(store.record().proofsFrom()).contains(from);
    // After an older version, or with another cluster key, it is the first timestamp of an epoch.
    for (Optional<ProofsFrom> earlier :
        List.of(Optional.<ProofsFrom>empty(), Optional.of(forged))) {
      store.overwrite(record -> record.withProofsFrom(earlier));
      Node next = new Node("next");
      waitOut(next);
      assertThat(store.record().proofsFrom())
          .contains(Proofs.OPEN.proofsFrom(store.record().floor()));
    }
  }

  @Test
  void aForeignAddressIsOverwrittenAtOnce() {
    Node node = elect("a");
    store.overwrite(
        record -> changed(record, record.epoch(), "a", "evil:1", record.leaseSequence() + 1));
    renew(node);
    assertThat(store.record().address()).isEqualTo("a:1");
    assertThat(node.tampered).isEqualTo(1);
  }

  @Test
  void anOldRecordThatIsPutBackIsAForeignHand() {
    Node node = elect("a");
    ManagerRecord old = store.record();
    renew(node);
    store.overwrite(record -> old);
    renew(node);
    assertThat(node.tampered).isEqualTo(1);
    assertThat(store.record().leaseSequence()).isGreaterThan(old.leaseSequence());
    assertThat(store.record().bound()).isGreaterThanOrEqualTo(old.bound());
  }

  @Test
  void threeForeignHandsInAMinuteAreNotReady() {
    Node node = elect("a");
    for (int i = 0; i < 3; i++) {
      assertThat(node.node.vitals().recordTrusted()).isTrue();
      store.overwrite(record -> with(record, record.bound(), record.floor(), record.floor()));
      renew(node);
    }
    assertThat(node.node.vitals().recordTrusted()).isFalse();
    clock.advance(Duration.ofSeconds(61));
    renew(node);
    assertThat(node.node.vitals().recordTrusted()).isTrue();
    assertThat(node.tampered).isEqualTo(3);
  }

  /** What looks like a foreign hand and is none: own writes whose replies were lost. */
  @Test
  void ownWritesWithLostRepliesAreOwn() {
    Node node = elect("a");
    clock.advance(RENEW);
    node.node.tick();
    var late = store.underWay().remove(0);
    late.failOnly();
    node.node.tick();
    store.underWay().remove(0).succeed(); // reads: not applied yet
    var second = store.underWay().remove(0);
    second.failOnly();
    late.happenLate();
    second.happenLate(); // on top of what is no longer there
    node.tick();
    node.tick();
    assertThat(node.tampered).isZero();
    assertThat(node.retirements).isEmpty();
    assertThat(node.begin()).isPositive();
  }

  @Test
  void aRecordThatWasDeletedIsWrittenAgain() {
    Node node = elect("a");
    long before = node.begin();
    ManagerRecord old = store.record();
    store.forget();
    renew(node);
    assertThat(node.retirements).isEmpty();
    assertThat(node.tampered).isEqualTo(1);
    assertThat(store.record().epoch()).isEqualTo(old.epoch());
    assertThat(store.record().floor()).isEqualTo(old.floor());
    assertThat(store.record().bound()).isGreaterThanOrEqualTo(old.bound());
    assertThat(node.begin()).isGreaterThan(before);
  }

  @Test
  void aRecordThatCannotBeReadIsOverwritten() {
    Node node = elect("a");
    store.garble();
    clock.advance(LEASE); // but to take the epoch is a write, too
    renew(node);
    assertThat(node.tampered).isEqualTo(1);
    assertThat(store.record().address()).isEqualTo("a:1");
    assertThat(node.begin()).isPositive();
  }

  /** Its successor's record is no longer there to tell it. */
  @Test
  void aPrimaryWithoutALeaseDoesNotWriteOverAForeignRecord() {
    for (Runnable foreign :
        List.<Runnable>of(store::garble, () -> store.overwrite(record -> old(record)))) {
      store.forget();
      Node first = elect("a");
      Node second = new Node("b");
      waitOut(second);
      assertThat(second.epoch).isEqualTo(2);
      foreign.run();
      for (int i = 0; i < 3; i++) {
        first.tick();
      }
      requireSilent(first);
      assertThat(first.tampered).isEqualTo(1);
      assertThat(first.node.vitals().recordTrusted()).isFalse();
      renew(second);
      assertThat(second.begin()).isPositive();
      renew(first);
      assertThat(first.retirements).containsExactly(NodeListener.Retirement.SUPERSEDED);
    }
  }

  /** If no other leads, an administrator says so; another process would know less of the past. */
  @Test
  void aPrimaryWithoutALeaseWritesOverAForeignRecordThatIsAccepted() {
    Node only = elect("a");
    long before = only.begin();
    assertThatThrownBy(only.node::acceptRecord).hasMessageContaining("not a backup");
    store.forget();
    clock.advance(LEASE);
    only.tick();
    requireSilent(only);
    assertThat(only.node.acceptRecord()).isEqualTo("absent");
    renew(only);
    assertThat(store.record().epoch()).isEqualTo(1);
    assertThat(only.begin()).isGreaterThan(before);
    assertThat(only.node.vitals().recordTrusted()).isTrue();
    assertThat(only.retirements).isEmpty();
  }

  @Test
  void aPrimaryDoesNotWriteOverMoreThanOneForeignRecord() {
    for (boolean lostReply : new boolean[] {false, true}) {
      store.forget();
      Node first = elect("a");
      Node second = new Node("b");
      renew(first);
      second.tick();
      if (lostReply) {
        first.node.advanceSafePoint(first.begin());
        store.underWay().remove(0).failOnly();
        first.node.tick();
        store.underWay().remove(0).succeed(); // reads, and writes again
        store.underWay().remove(0).failOnly();
      }
      store.overwrite(record -> released(record));
      clock.advance(Duration.ofMillis(400));
      second.tick();
      assertThat(second.epoch).isEqualTo(2);
      store.garble();
      renew(first);
      requireSilent(first);
      renew(second);
      assertThat(second.begin()).isPositive();
    }
  }

  private static ManagerRecord released(ManagerRecord record) {
    return new ManagerRecord(
        record.epoch(),
        record.holder(),
        record.address(),
        record.leaseSequence() + 1,
        record.leaseDurationMillis(),
        true,
        record.bound(),
        record.floor(),
        record.safePoint(),
        Optional.empty(),
        record.proofsFrom());
  }

  private static void requireSilent(Node node) {
    assertThat(node.retirements).isEmpty();
    assertThat(Exchange.with(node.node::handle, List.of(new WireRequest.Begin(1))).outcome())
        .isInstanceOf(BatchOutcome.Silent.class);
  }

  private static ManagerRecord old(ManagerRecord record) {
    return changed(record, 1, "a", "a:1", record.leaseSequence());
  }

  @Test
  void aBackupTakesNoEpochFromARecordThatWentBack() {
    for (UnaryOperator<ManagerRecord> change : wentBack()) {
      store.forget();
      Node first = elect("a");
      Node second = new Node("b");
      renew(first);
      second.tick();
      store.overwrite(change);
      waitOut(second);
      assertThat(second.epoch).as("record=%s", store.record()).isZero();
      assertThat(second.node.vitals().recordTrusted()).isFalse();
    }
  }

  private static List<UnaryOperator<ManagerRecord>> wentBack() {
    return List.of(
        record -> changed(record, 0, "a", "a:1", record.leaseSequence() + 1),
        record -> changed(record, record.epoch(), "a", "a:1", record.leaseSequence() - 1),
        record -> changed(record, record.epoch(), "c", "a:1", record.leaseSequence() + 1),
        record -> with(record, record.bound() - 256, record.floor(), 0),
        record -> with(record, record.bound(), record.floor() - 256, 0),
        record -> with(record, record.bound(), record.floor(), record.bound() + 256),
        record -> with(record, record.bound(), record.bound() + 256, 0),
        record -> with(record, record.bound(), record.floor(), -1));
  }

  @Test
  void aBackupDoesNotCreateARecordThatHasDisappeared() {
    Node first = elect("a");
    Node second = new Node("b");
    renew(first);
    second.tick();
    store.forget();
    waitOut(second);
    assertThat(second.epoch).isZero();
    second.node.acceptRecord();
    waitOut(second);
    assertThat(second.epoch).isEqualTo(2);
    assertThat(second.begin()).isGreaterThan(first.node.status().record().orElseThrow().bound());
  }

  /** No epoch follows a record that cannot be read, so accepting it would change nothing. */
  @Test
  void aRecordThatCannotBeReadIsNotAcceptedUntilItIsDeleted() {
    Node first = elect("a");
    Node second = new Node("b");
    renew(first);
    second.tick();
    store.garble();
    waitOut(second);
    assertThatThrownBy(second.node::acceptRecord)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("delete its znode");
    assertThat(second.node.vitals().recordTrusted()).isFalse();
    store.forget();
    waitOut(second);
    assertThat(second.epoch).isZero();
    second.node.acceptRecord();
    waitOut(second);
    assertThat(second.epoch).isEqualTo(2);
    assertThat(second.begin()).isGreaterThan(first.node.status().record().orElseThrow().bound());
  }

  @Test
  void aRecordOfALaterVersionIsNeitherOverwrittenNorAccepted() {
    Node first = elect("a");
    Node second = new Node("b");
    second.tick();
    store.upgrade();
    store.overwrite(record -> with(record, record.bound(), record.floor(), record.safePoint()));
    ManagerRecord later = store.record();
    waitOut(first);
    waitOut(second);
    assertThat(store.record()).isEqualTo(later);
    assertThat(second.epoch).isZero();
    assertThat(first.node.vitals().recordTrusted()).isFalse();
    assertThatThrownBy(first.node::acceptRecord).isInstanceOf(IllegalStateException.class);
    assertThat(second.node.vitals().recordTrusted()).isFalse();
    assertThatThrownBy(second.node::acceptRecord)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("delete its znode");
  }

  @Test
  void anAdministratorMayAcceptARecordThatWentBackAndNoTimestampIsRepeated() {
    Node first = elect("a");
    Node second = new Node("b");
    renew(first);
    ManagerRecord old = store.record();
    clock.advance(Duration.ofSeconds(20));
    first.tick();
    second.tick();
    long last = first.begin();
    clock.stepWall(Duration.ofDays(-1));
    store.overwrite(record -> old);
    waitOut(second);
    assertThat(second.epoch).isZero();
    second.node.acceptRecord();
    waitOut(second);
    assertThat(second.epoch).isEqualTo(2);
    assertThat(second.begin()).isGreaterThan(last);
  }

  /** The primary overwrites it, and dies later: what a foreign hand wrote must not count then. */
  @Test
  void whatAForeignHandWroteIsForgottenWhenThePrimaryHasOverwrittenIt() {
    Node first = elect("a");
    Node second = new Node("b");
    renew(first);
    second.tick();
    store.overwrite(record -> with(record, record.bound(), record.floor(), record.bound()));
    clock.advance(Duration.ofMillis(200));
    second.tick();
    for (int i = 0; i < 3; i++) {
      renew(first);
      second.tick();
    }
    waitOut(second);
    assertThat(second.epoch).isEqualTo(2);
    assertThat(store.record().safePoint()).isZero();
  }

  /** An Error in a tick used to end the ticks, and nothing else. */
  @Test
  void anErrorOffTheRequestPathEndsTheNode() {
    Node node = elect("a");
    store.failWith(new OutOfMemoryError("made up"));
    clock.advance(RENEW);
    node.node.tick();
    assertThat(node.retirements).containsExactly(NodeListener.Retirement.INVARIANT_VIOLATED);
    assertThat(Exchange.with(node.node::handle, List.of(new WireRequest.Begin(1))).outcome())
        .isInstanceOf(BatchOutcome.Silent.class);
  }

  private void renew(Node node) {
    clock.advance(RENEW);
    node.tick();
  }

  private void waitOut(Node backup) {
    for (int i = 0; i < 10; i++) {
      clock.advance(LEASE.dividedBy(2));
      backup.tick();
    }
  }

  private long tick(Duration ahead) {
    return Timestamps.ceilingOfMillis(clock.wallMillis() + ahead.toMillis());
  }

  private static ManagerRecord with(ManagerRecord record, long bound, long floor, long safePoint) {
    return new ManagerRecord(
        record.epoch(),
        record.holder(),
        record.address(),
        record.leaseSequence() + 1,
        record.leaseDurationMillis(),
        record.released(),
        bound,
        floor,
        safePoint,
        record.succession(),
        record.proofsFrom());
  }

  private static ManagerRecord changed(
      ManagerRecord record, long epoch, String holder, String address, long sequence) {
    return new ManagerRecord(
        epoch,
        holder,
        address,
        sequence,
        record.leaseDurationMillis(),
        record.released(),
        record.bound(),
        record.floor(),
        record.safePoint(),
        record.succession(),
        record.proofsFrom());
  }

  private Node elect(String name) {
    Node node = new Node(name);
    node.tick();
    assertThat(node.epoch).isPositive();
    return node;
  }
}
