package io.lampone.tm;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.Member;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.command.HandOverCommands;
import io.lampone.tm.core.IdleListener;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.ManagerSettings;
import io.lampone.tm.core.ManualClock;
import io.lampone.tm.core.Members;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.core.Retention;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Comparisons of the clock whose answers take their time. */
final class MembershipTest {

  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Executor LOOP = Runnable::run;

  private final ManualClock clock = new ManualClock();
  private final SlowMembers members = new SlowMembers();
  private final ManagerNode node =
      new ManagerNode(
          new ManagerSettings(
              "a",
              "a:1",
              Duration.ofSeconds(2),
              Duration.ofMillis(500),
              Duration.ofSeconds(5),
              100,
              100,
              10,
              Retention.DEFAULT,
              Proofs.OPEN),
          new MemoryRecordStore(),
          clock,
          LOOP,
          new IdleListener());
  private final Membership membership =
      new Membership(
          node,
          members,
          new Member("a", "a:1", ManualClock.START_MILLIS, "1"),
          new HandOverCommands(
              node,
              members,
              (address, listener) -> {
                throw new AssertionError("nothing to hand over");
              },
              LOOP),
          LOOP,
          clock,
          LIMIT);

  MembershipTest() {
    node.trust().demand(LIMIT);
  }

  @Test
  void aClockThatIsRightTakesTheEpoch() {
    membership.join();
    clock.advance(Duration.ofMillis(20));
    answerFromARightClock();
    assertThat(node.leading()).isPresent();
    assertThat(membership.clockAheadMillis()).isZero();
  }

  @Test
  void aStepWhileZooKeeperWritesTakesNoEpoch() {
    membership.join();
    clock.stepWall(DAY);
    answerFromARightClock();
    requireDistrust();
  }

  @Test
  void aStepWhileTheOthersAreReadTakesNoEpoch() {
    membership.join();
    members.written.complete(OptionalLong.of(ManualClock.START_MILLIS));
    clock.stepWall(DAY);
    members.clocks.complete(List.of(0L, 0L));
    requireDistrust();
  }

  private void answerFromARightClock() {
    members.written.complete(OptionalLong.of(ManualClock.START_MILLIS));
    members.clocks.complete(List.of(0L, 0L));
  }

  private void requireDistrust() {
    assertThat(node.leading()).isEmpty();
    assertThat(membership.clockAheadMillis()).isEqualTo(DAY.toMillis());
    clock.stepWall(DAY.negated());
    members.renew();
    membership.join();
    answerFromARightClock();
    assertThat(node.leading().orElseThrow().bound())
        .isLessThan(Timestamps.ceilingOfMillis(ManualClock.START_MILLIS + 60_000));
  }

  /** Answers when a test says so. */
  private static final class SlowMembers implements Members {

    private CompletableFuture<OptionalLong> written = new CompletableFuture<>();
    private CompletableFuture<List<Long>> clocks = new CompletableFuture<>();

    void renew() {
      written = new CompletableFuture<>();
      clocks = new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<OptionalLong> join(Member me) {
      return written;
    }

    @Override
    public CompletableFuture<Void> leave(Member me) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<List<Member>> list() {
      return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletableFuture<List<Long>> clocksOfOthers(Member me) {
      return clocks;
    }
  }
}
