package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.tm.Hold;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.NodeListener.Retirement;
import io.lampone.tm.core.transfer.LeadershipTransfer;
import io.lampone.tm.core.transfer.TransferResult;
import io.lampone.tm.core.validation.BatchOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A planned hand-over, step by step, with an accident at each step; finding M13. */
final class HandOverStepsTest {

  private static final Duration LEASE = Duration.ofSeconds(2);

  private final ManualClock clock = new ManualClock();
  private final SimulatedStore store = new SimulatedStore();

  private final class Node implements NodeListener {

    private final List<Long> epochs = new ArrayList<>();
    private final List<Retirement> retirements = new ArrayList<>();
    private final ManagerNode node;
    private final String name;
    private boolean sealed;
    private String successor = "";

    Node(String name) {
      this.name = name;
      ManagerSettings settings =
          new ManagerSettings(
              name,
              name + ":1",
              LEASE,
              Duration.ofMillis(500),
              Duration.ofSeconds(5),
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
      sealed = true;
    }

    @Override
    public void unsealed() {
      sealed = false;
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

    long begin() {
      return ((WireReply.Begun) ask(new WireRequest.Begin(1))).begin().startTimestamp();
    }

    Validation validate(long start, boolean first, long hash) {
      long[] hashes = {hash};
      Validator.Request request =
          new Validator.Request(start, Proofs.OPEN.grant(start, 0), first, hashes, hashes);
      return ((WireReply.Validated) ask(new WireRequest.Validate(1, request))).validation();
    }

    Status status(long start) {
      return ((WireReply.StatusIs) ask(new WireRequest.Status(1, start, 0))).status();
    }

    boolean isSilent() {
      return Exchange.with(node::handle, List.of(new WireRequest.Begin(1))).outcome()
          instanceof BatchOutcome.Silent;
    }

    private WireReply ask(WireRequest request) {
      return Exchange.with(node::handle, List.of(request)).replies().get(0);
    }
  }

  private final Node giver = new Node("a");
  private final Node heir = new Node("b");
  private final Node third = new Node("c");
  private Optional<SimulatedLink> link = Optional.empty();

  private CompletableFuture<TransferResult> begin() {
    giver.tick();
    assertThat(giver.epochs).containsExactly(1L);
    heir.tick();
    third.tick();
    return handOver();
  }

  private CompletableFuture<TransferResult> handOver() {
    return handOver("b");
  }

  private CompletableFuture<TransferResult> handOver(String successor) {
    return giver.node.handOver(
        successor,
        "b:1",
        (address, listener) -> {
          assertThat(address).isEqualTo("b:1");
          SimulatedLink made = new SimulatedLink(listener, heir.node);
          link = Optional.of(made);
          return made;
        });
  }

  /**
   * A process that died at this address is still registered there, until its session ends; another
   * one has been started in its place. The record would name the dead one, and nobody would be
   * heir.
   */
  @Test
  void whatIsMeantForAnotherProcessAtTheSameAddressIsRefused() {
    giver.tick();
    heir.tick();
    CompletableFuture<TransferResult> result = handOver("b before it died");
    exchange();
    assertThatThrownBy(result::join).hasMessageContaining("b before it died");
    assertThat(giver.sealed).isFalse();
    assertThat(heir.node.keepsReceivedState()).isFalse();
    assertThat(giver.isSilent()).isFalse();
  }

  /** Lets everything arrive that is under way on the connection. */
  private void exchange() {
    for (int i = 0; i < 500; i++) {
      if (link.orElseThrow().hasForHeir()) {
        link.get().deliverToHeir();
      }
      link.get().deliverToGiver();
    }
  }

  /** Everything up to the write of the record, which is under way then. */
  private CompletableFuture<TransferResult> upToTheWrite() {
    CompletableFuture<TransferResult> result = begin();
    exchange();
    assertThat(giver.sealed).isTrue();
    assertThat(giver.isSilent()).isTrue();
    assertThat(store.underWay()).hasSize(1);
    return result;
  }

  @Test
  void theSuccessorKnowsEverythingAndKeepsTheFloor() {
    giver.tick();
    long decided = giver.begin();
    long loser = giver.begin();
    long undecided = giver.begin();
    Validation passed = giver.validate(decided, true, 7);
    Validation conflict = giver.validate(loser, true, 7);
    giver.node.holds().hold("me", "x", undecided, Duration.ofMinutes(1));
    long floor = store.record().floor();
    long bound = store.record().bound();

    CompletableFuture<TransferResult> result = upToTheWrite();
    store.settle();
    assertThat(store.record().released()).isTrue();
    exchange();
    store.settle();
    exchange();
    assertThat(result.join().leading()).isTrue();
    assertThat(result.join().successor()).isEqualTo("b:1");
    assertThat(giver.retirements).containsExactly(Retirement.HANDED_OVER);
    assertThat(giver.successor).isEqualTo("b:1");

    assertThat(heir.epochs).containsExactly(2L);
    assertThat(store.record().floor()).isEqualTo(floor);
    assertThat(heir.begin()).isGreaterThan(bound);
    assertThat(heir.validate(decided, false, 7)).isEqualTo(passed);
    assertThat(heir.validate(loser, false, 7)).isEqualTo(conflict);
    assertThat(heir.status(decided)).isInstanceOf(Status.Passed.class);
    assertThat(heir.status(undecided)).isInstanceOf(Status.NotRequested.class);
    assertThat(heir.validate(undecided, true, 7)).isInstanceOf(Validation.Conflict.class);
    assertThat(heir.node.holds().list()).extracting(Hold::name).containsExactly("x");
    // What says so is gone with the first renewal.
    clock.advance(Duration.ofMillis(500));
    heir.tick();
    assertThat(store.record().succession()).isEmpty();
  }

  @Test
  void whatIsDecidedWhileTheTablesAreCopiedArrivesToo() {
    giver.tick();
    List<Long> decided = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      decided.add(giver.begin());
      giver.validate(decided.get(i), true, i);
    }
    begin();
    for (int i = 0; !giver.sealed; i++) {
      assertThat(i).isLessThan(1_000);
      long more = giver.begin();
      giver.validate(more, true, 1_000 + i);
      decided.add(more);
      for (int j = 0; j < 3; j++) {
        link.orElseThrow().deliverToGiver();
        if (link.get().hasForHeir()) {
          link.get().deliverToHeir();
        }
      }
    }
    assertThat(decided).hasSizeGreaterThan(205);
    exchange();
    store.settle();
    exchange();
    store.settle();
    for (long start : decided) {
      assertThat(heir.status(start)).isInstanceOf(Status.Passed.class);
    }
  }

  @Test
  void aWriteWhoseReplyIsLostIsFoundOutByReading() {
    CompletableFuture<TransferResult> result = upToTheWrite();
    store.underWay().remove(0).loseReply();
    assertThat(giver.isSilent()).isTrue();
    giver.tick();
    exchange();
    store.settle();
    exchange();
    assertThat(result.join().leading()).isTrue();
    assertThat(heir.epochs).containsExactly(2L);
  }

  @Test
  void aWriteWhoseReplyIsLostAndIsTakenBeforeAnybodyLooksIsFoundOutByReading() {
    CompletableFuture<TransferResult> result = upToTheWrite();
    store.underWay().remove(0).loseReply();
    clock.advance(Duration.ofMillis(300));
    heir.tick();
    assertThat(heir.epochs).containsExactly(2L);
    giver.tick();
    assertThat(result.join().leading()).isTrue();
    assertThat(giver.retirements).containsExactly(Retirement.HANDED_OVER);
  }

  /** The renewal does not name the hand-over any more, but only an heir keeps the floor. */
  @Test
  void aWriteWhoseReplyIsLostAndIsTakenAndRenewedBeforeAnybodyLooksIsFoundOutByReading() {
    CompletableFuture<TransferResult> result = upToTheWrite();
    store.underWay().remove(0).loseReply();
    for (int i = 0; i < 2; i++) {
      clock.advance(Duration.ofMillis(500));
      heir.tick();
    }
    assertThat(heir.epochs).containsExactly(2L);
    assertThat(store.record().succession()).isEmpty();
    giver.tick();
    assertThat(result.join().leading()).isTrue();
    assertThat(giver.retirements).containsExactly(Retirement.HANDED_OVER);
  }

  @Test
  void aWriteThatFailedIsFencedBeforeTheGiverGoesOn() {
    CompletableFuture<TransferResult> result = upToTheWrite();
    long floor = store.record().floor();
    SimulatedStore.Operation<?> late = store.underWay().remove(0);
    late.failOnly();
    giver.node.tick();
    store.underWay().remove(0).succeed(); // reads: nothing has changed, so far
    assertThat(giver.isSilent()).isTrue();
    store.settle(); // a renewal on top of it
    assertThat(giver.isSilent()).isFalse();
    assertThat(giver.sealed).isFalse();
    assertThat(result).isCompletedExceptionally();
    long start = giver.begin();
    giver.validate(start, true, 1);
    late.happenLate();
    assertThat(store.record().released()).isFalse();
    clock.advance(Duration.ofMillis(300));
    heir.tick();
    assertThat(heir.epochs).isEmpty();
    assertThat(store.record().floor()).isEqualTo(floor);
  }

  @Test
  void aWriteThatIsAppliedBetweenReadAndFenceIsFoundOut() {
    CompletableFuture<TransferResult> result = upToTheWrite();
    SimulatedStore.Operation<?> late = store.underWay().remove(0);
    late.failOnly();
    giver.node.tick();
    store.underWay().remove(0).succeed(); // reads: nothing has changed, so far
    late.happenLate();
    store.settle(); // the fence is lost; it reads again
    assertThat(giver.isSilent()).isTrue();
    exchange();
    store.settle();
    exchange();
    assertThat(result.join().leading()).isTrue();
    assertThat(heir.epochs).containsExactly(2L);
  }

  @Test
  void whileNobodyCanTellTheGiverIsSilent() {
    upToTheWrite();
    store.underWay().remove(0).failOnly();
    for (int i = 0; i < 20; i++) {
      clock.advance(Duration.ofMillis(100));
      giver.node.tick();
      while (!store.underWay().isEmpty()) {
        store.underWay().remove(0).failOnly();
      }
      assertThat(giver.isSilent()).isTrue();
    }
    assertThat(giver.retirements).isEmpty();
  }

  @Test
  void aGiverThatDiesAfterTheWriteIsSucceededAllTheSame() {
    upToTheWrite();
    long floor = store.record().floor();
    store.settle();
    link.orElseThrow().breakOff();
    clock.advance(Duration.ofMillis(300));
    heir.tick();
    assertThat(heir.epochs).containsExactly(2L);
    assertThat(store.record().floor()).isEqualTo(floor);
  }

  @Test
  void aGiverThatDiesBeforeTheWriteIsSucceededWithANewFloor() {
    upToTheWrite();
    long last = store.record().bound();
    store.underWay().remove(0); // never sent
    clock.advance(LEASE.multipliedBy(2));
    heir.tick();
    assertThat(heir.epochs).containsExactly(2L);
    assertThat(store.record().floor()).isGreaterThan(last);
  }

  @Test
  void aSuccessorThatIsNotToldThatItLeadsKeepsTheFloorWhenItTakesTheEpochAgain() {
    upToTheWrite();
    long floor = store.record().floor();
    store.settle();
    exchange();
    store.underWay().remove(0).succeed(); // the successor reads
    store.underWay().remove(0).loseReply(); // and takes the epoch, without hearing of it
    assertThat(store.record().epoch()).isEqualTo(2);
    assertThat(heir.epochs).isEmpty();
    heir.tick();
    assertThat(heir.epochs).containsExactly(3L);
    assertThat(store.record().floor()).isEqualTo(floor);
  }

  @Test
  void anotherBackupLetsTheSuccessorGoFirstThenRaisesTheFloor() {
    upToTheWrite();
    long floor = store.record().floor();
    store.settle();
    clock.advance(Duration.ofMillis(300));
    third.tick();
    assertThat(third.epochs).isEmpty();
    clock.advance(Backup.HEAD_START);
    third.tick();
    assertThat(third.epochs).containsExactly(2L);
    assertThat(store.record().floor()).isGreaterThan(floor);
    // And the successor is too late.
    exchange();
    store.settle();
    assertThat(heir.epochs).isEmpty();
  }

  @Test
  void aBackupThatDoesNotSayThatItHasEverythingIsGivenUp() {
    CompletableFuture<TransferResult> result = begin();
    while (!giver.sealed) {
      link.orElseThrow().deliverToGiver();
      if (link.get().hasForHeir()) {
        link.get().deliverToHeir();
      }
    }
    assertThat(giver.isSilent()).isTrue();
    clock.advance(LeadershipTransfer.SEAL_PATIENCE);
    giver.tick();
    assertThat(result).isCompletedExceptionally();
    assertThat(giver.isSilent()).isFalse();
    // What arrives later changes nothing: the record will never say so.
    long start = giver.begin();
    giver.validate(start, true, 1);
    exchange();
    clock.advance(Duration.ofMillis(300));
    heir.tick();
    assertThat(heir.epochs).isEmpty();
    assertThat(giver.status(start)).isInstanceOf(Status.Passed.class);
  }

  @Test
  void aConnectionThatBreaksCostsTheClientsNothing() {
    CompletableFuture<TransferResult> result = begin();
    link.orElseThrow().deliverToGiver();
    link.get().breakOff();
    link.get().deliverToGiver();
    assertThat(result).isCompletedExceptionally();
    assertThat(giver.isSilent()).isFalse();
    // And may be tried again.
    CompletableFuture<TransferResult> again = handOver();
    exchange();
    store.settle();
    exchange();
    store.settle();
    exchange();
    assertThat(again.join().leading()).isTrue();
  }

  @Test
  void aSuccessorThatNeverLeadsHoldsTheGiverUpForASecondOnly() {
    CompletableFuture<TransferResult> result = upToTheWrite();
    store.settle();
    clock.advance(LeadershipTransfer.LEAD_PATIENCE);
    giver.tick();
    assertThat(result.join().leading()).isFalse();
    assertThat(giver.retirements).containsExactly(Retirement.HANDED_OVER);
  }

  @Test
  void aBackupThatIsDrainedBeforeItHasEverythingRefusesTheRest() {
    CompletableFuture<TransferResult> result = begin();
    link.orElseThrow().deliverToGiver();
    link.get().deliverToHeir(); // the offer
    heir.node.drain();
    exchange();
    store.settle();
    assertThat(result).isCompletedExceptionally();
    assertThatThrownBy(result::join).hasMessageContaining("this backup is drained");
    assertThat(giver.isSilent()).isFalse();
    assertThat(heir.node.keepsReceivedState()).isFalse();
  }

  @Test
  void afterAnUnplannedTakeoverTheSafePointIsToRestForTheLifetimeOfAHold() {
    giver.tick();
    assertThat(giver.node.holds().safePointPause()).isZero();
    clock.advance(LEASE.multipliedBy(2));
    heir.tick();
    clock.advance(LEASE.multipliedBy(2));
    heir.tick();
    assertThat(heir.epochs).containsExactly(2L);
    assertThat(heir.node.holds().safePointPause())
        .isBetween(
            Retention.DEFAULT.longestHold().minusSeconds(1), Retention.DEFAULT.longestHold());
  }

  /** Trap D12, the other half: a store that is slower than the lease costs the primary its role. */
  @Test
  void aStoreSlowerThanTheLeaseSilencesThePrimaryAndABackupTakesOver() {
    giver.tick();
    heir.tick();
    boolean silent = false;
    for (int i = 0; i < 100 && heir.epochs.isEmpty(); i++) {
      clock.advance(Duration.ofMillis(50));
      giver.node.tick(); // its renewals are under way for ever
      store.underWay().clear();
      silent |= giver.isSilent();
      heir.tick();
      assertThat(silent || heir.epochs.isEmpty()).as("no two at a time").isTrue();
    }
    assertThat(heir.epochs).containsExactly(2L);
    assertThat(giver.isSilent()).isTrue();
  }
}
