package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.tm.Member;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Transfer;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.command.HandOverCommands;
import io.lampone.tm.core.transfer.CatchUpProbe;
import io.lampone.tm.core.transfer.LeadershipTransfer;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.core.transfer.TransferResult;
import io.lampone.tm.core.validation.BatchOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A planned hand-over to a backup that is slow, at first or at the end or for good. */
@Timeout(180)
final class SlowBackupTest {

  private static final Duration LEASE = Duration.ofSeconds(60);

  private final ManualClock clock = new ManualClock();
  private final MemoryRecordStore store = new MemoryRecordStore();
  private final LinkedBlockingQueue<Runnable> loop = new LinkedBlockingQueue<>();
  private final Watcher giverRoles = new Watcher();
  private final Watcher heirRoles = new Watcher();
  private final ManagerNode giver = node("a", giverRoles);
  private final ManagerNode heir = node("b", heirRoles);
  private Optional<SimulatedLink> link = Optional.empty();

  private static final class Watcher implements NodeListener {

    private int leading;
    private int seals;
    private boolean sealed;

    @Override
    public void becamePrimary(long epoch) {
      leading++;
    }

    @Override
    public void sealed() {
      seals++;
      sealed = true;
    }

    @Override
    public void unsealed() {
      sealed = false;
    }

    @Override
    public void handedOver(String address) {}

    @Override
    public void retired(Retirement retirement) {}
  }

  private ManagerNode node(String name, NodeListener listener) {
    ManagerSettings settings =
        new ManagerSettings(
            name,
            name + ":1",
            LEASE,
            LEASE.dividedBy(4),
            Duration.ofSeconds(5),
            1000,
            1000,
            10,
            Retention.DEFAULT,
            Proofs.OPEN);
    return new ManagerNode(settings, store, clock, loop::add, listener);
  }

  @BeforeEach
  void lead() {
    giver.tick();
    run();
    heir.tick();
    run();
    assertThat(giverRoles.leading).isEqualTo(1);
  }

  @Test
  void aBackupThatIsAlwaysSlowHoldsNobodyUp() {
    CompletableFuture<TransferResult> result = handOver();
    for (int i = 0; i < 1_000 && !result.isDone(); i++) {
      exchange(CatchUpProbe.SHORT_ROUND.plusMillis(1));
      assertThat(isSilent()).isFalse();
    }
    assertThatThrownBy(result::join)
        .hasMessageContaining("too slowly")
        .hasMessageContaining("rounds=")
        .hasMessageContaining("wanted=PT0.02S");
    assertThat(giverRoles.seals).isZero();
  }

  @Test
  void aBackupThatIsSlowAtFirstIsWaitedForOnlyWhenItHasBecomeFast() {
    CompletableFuture<TransferResult> result = handOver();
    for (int i = 0; i < 20; i++) {
      exchange(Duration.ofMillis(50));
    }
    assertThat(giverRoles.seals).isZero();
    assertThat(isSilent()).isFalse();
    finish(result);
    assertThat(result.join().leading()).isTrue();
    assertThat(result.join().rounds()).isGreaterThan(CatchUpProbe.SHORT_ROUNDS);
    assertThat(heirRoles.leading).isEqualTo(1);
  }

  @Test
  void shortRoundsOfLongAgoDoNotCount() {
    CatchUpProbe rehearsal = new CatchUpProbe(clock);
    for (int i = 0; i < CatchUpProbe.SHORT_ROUNDS; i++) {
      assertThat(rehearsal.isPassed()).isFalse();
      rehearsal.begin();
      rehearsal.sent();
      assertThat(rehearsal.mayBegin()).isFalse();
      rehearsal.answered();
    }
    assertThat(rehearsal.isPassed()).isTrue();
    clock.advance(CatchUpProbe.FRESHNESS.plusNanos(1));
    assertThat(rehearsal.isPassed()).isFalse();
  }

  @Test
  void oneThatWasTooSlowAtTheEndIsTriedAgainWithinTheCommand() throws Exception {
    CompletableFuture<TransferResult> result = commanded();
    untilSealed();
    clock.advance(LeadershipTransfer.SEAL_PATIENCE);
    giver.tick();
    run();
    assertThat(isSilent()).isFalse();
    assertThat(result).isNotDone();
    awaitAnotherLink(link.orElseThrow());
    finish(result);
    assertThat(result.get().attempts()).isEqualTo(2);
    assertThat(heirRoles.leading).isEqualTo(1);
  }

  @Test
  void attemptsAreBoundedAndCounted() throws Exception {
    CompletableFuture<TransferResult> result = commanded();
    for (int attempt = 1; attempt <= 3; attempt++) {
      untilSealed();
      clock.advance(LeadershipTransfer.SEAL_PATIENCE);
      giver.tick();
      if (attempt < 3) {
        awaitAnotherLink(link.orElseThrow());
      }
    }
    run();
    assertThatThrownBy(result::join)
        .isInstanceOf(CompletionException.class)
        .hasMessageContaining("too slow at the end")
        .hasMessageContaining("attempts=3");
    assertThat(giverRoles.seals).isEqualTo(3);
    assertThat(isSilent()).isFalse();
  }

  /** Both come round again after each attempt. */
  @Test
  void attemptsAreBoundedWithTwoSlowBackups() throws Exception {
    CompletableFuture<TransferResult> result =
        commanded(List.of(new Member("b", "b:1", 0, "test"), new Member("b", "b:1", 1, "test")));
    for (int attempt = 1; attempt <= 3; attempt++) {
      untilSealed();
      Optional<SimulatedLink> failing = link;
      clock.advance(LeadershipTransfer.SEAL_PATIENCE);
      giver.tick();
      if (attempt < 3) {
        awaitAnotherLink(failing.orElseThrow());
      }
    }
    run();
    assertThat(result).isDone();
    assertThatThrownBy(result::join).hasMessageContaining("attempts=3");
    assertThat(giverRoles.seals).isEqualTo(3);
  }

  /** A process that died is on the list until its session ends, and another one at its address. */
  @Test
  void aDeadProcessAtTheSameAddressIsPassedOver() {
    long floor = store.record().floor();
    CompletableFuture<TransferResult> result =
        commanded(
            List.of(
                new Member("b before it died", "b:1", 0, "test"),
                new Member("b", "b:1", 1, "test")));
    finish(result);
    assertThat(result.join().leading()).isTrue();
    assertThat(store.record().holder()).isEqualTo("b");
    assertThat(store.record().floor()).isEqualTo(floor);
  }

  /** ZooKeeper answers, or its time runs out, on other threads; what follows is for the loop. */
  @Test
  void aListThatCannotBeHadIsToldOnTheLoop() {
    CompletableFuture<List<Member>> listed = new CompletableFuture<>();
    CompletableFuture<TransferResult> result = commands(listed).handOver(Optional.empty());
    listed.completeExceptionally(new IOException("connection lost"));
    assertThat(result).isNotDone();
    run();
    assertThatThrownBy(result::join).hasMessageContaining("connection lost");
  }

  @Test
  void completeTablesAreDroppedWhenTheRecordNamesALaterEpoch() {
    withCompleteTables();
    ManagerNode third = node("c", new Watcher());
    third.tick();
    run();
    clock.advance(LEASE.multipliedBy(2));
    third.tick();
    run();
    assertThat(store.record().epoch()).isEqualTo(2);
    assertThat(heir.keepsReceivedState()).isTrue();
    heir.tick();
    run();
    assertThat(heir.keepsReceivedState()).isFalse();
  }

  @Test
  void completeTablesAreDroppedAfterAWhileInAnyCase() {
    withCompleteTables();
    clock.advance(Backup.RECEIVED_STATE_PATIENCE.minusMillis(1));
    heir.tick();
    assertThat(heir.keepsReceivedState()).isTrue();
    clock.advance(Duration.ofMillis(1));
    heir.tick();
    assertThat(heir.keepsReceivedState()).isFalse();
  }

  /** Otherwise it would lead with tables that somebody else has begun to fill. */
  @Test
  void whoIsTakingOverTakesNoOffer() {
    clock.advance(LEASE.multipliedBy(2));
    heir.tick();
    assertThat(loop).hasSize(1);
    loop.remove().run(); // has read, and writes
    assertThat(store.record().epoch()).isEqualTo(2);
    List<Transfer.Reply> replies = new ArrayList<>();
    heir.receive(replies::add, new Transfer.Offer(1, "a#9"));
    assertThat(replies).containsExactly(new Transfer.Reply.Refused("this backup is taking over"));
    run();
    assertThat(heirRoles.leading).isEqualTo(1);
  }

  @Test
  void theRehearsalBeforeTheFirstActHandsOver() {
    assertThat(DressRehearsal.run(new ManualClock())).isTrue();
  }

  /** The backup has everything, and the giver dies before it writes. */
  private void withCompleteTables() {
    handOver();
    untilSealed();
    while (link.orElseThrow().hasForHeir()) {
      link.get().deliverToHeir();
    }
    link.get().breakOff();
    link.get().deliverToHeir();
    assertThat(heir.keepsReceivedState()).isTrue();
  }

  private CompletableFuture<TransferResult> handOver() {
    return giver.handOver("b", "b:1", (address, listener) -> connect(listener));
  }

  private CompletableFuture<TransferResult> commanded() {
    return commanded(List.of(new Member("b", "b:1", 0, "test")));
  }

  private CompletableFuture<TransferResult> commanded(List<Member> present) {
    CompletableFuture<TransferResult> result =
        commands(CompletableFuture.completedFuture(present)).handOver(Optional.empty());
    run();
    return result;
  }

  private HandOverCommands commands(CompletableFuture<List<Member>> listed) {
    Members members =
        new Members() {
          @Override
          public CompletableFuture<OptionalLong> join(Member me) {
            return CompletableFuture.completedFuture(OptionalLong.empty());
          }

          @Override
          public CompletableFuture<Void> leave(Member me) {
            return CompletableFuture.completedFuture(null);
          }

          @Override
          public CompletableFuture<List<Member>> list() {
            return listed;
          }

          @Override
          public CompletableFuture<List<Long>> clocksOfOthers(Member me) {
            return CompletableFuture.completedFuture(List.of());
          }
        };
    return new HandOverCommands(
        giver, members, (address, listener) -> connect(listener), loop::add);
  }

  private SimulatedLink connect(TransferLink.Listener listener) {
    SimulatedLink made = new SimulatedLink(listener, heir);
    link = Optional.of(made);
    return made;
  }

  private void awaitAnotherLink(SimulatedLink old) throws InterruptedException {
    while (link.orElseThrow() == old) {
      Runnable task = loop.poll(60, TimeUnit.SECONDS);
      assertThat(task).as("another attempt").isNotNull();
      task.run();
    }
  }

  private void untilSealed() {
    for (int i = 0; !giverRoles.sealed; i++) {
      assertThat(i).isLessThan(1_000);
      link.orElseThrow().deliverToGiver();
      if (!giverRoles.sealed && link.get().hasForHeir()) {
        link.get().deliverToHeir();
      }
    }
  }

  private void finish(CompletableFuture<TransferResult> result) {
    for (int i = 0; i < 1_000 && !result.isDone(); i++) {
      exchange(Duration.ZERO);
    }
  }

  /** Whatever is under way arrives, after so long; then the answers do. */
  private void exchange(Duration delay) {
    clock.advance(delay);
    while (link.orElseThrow().hasForHeir() && !link.get().isOver()) {
      link.get().deliverToHeir();
    }
    for (int i = 0; i < 10; i++) {
      link.get().deliverToGiver();
    }
    giver.tick();
    run();
  }

  private void run() {
    for (Runnable task = loop.poll(); task != null; task = loop.poll()) {
      task.run();
    }
  }

  private boolean isSilent() {
    return Exchange.with(giver::handle, List.of(new WireRequest.Begin(1))).outcome()
        instanceof BatchOutcome.Silent;
  }
}
