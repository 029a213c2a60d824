package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.Member;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Transfer;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.status.ValidatorMetrics;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.core.validation.Sharding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A primary and the answers of a validator. */
final class ValidatorsTest {

  private static final String ADDRESS = "v:1";

  private final ManualClock clock = new ManualClock();
  private final SimulatedStore store = new SimulatedStore();
  private final List<Transfer.Ping> pings = new ArrayList<>();
  private final List<TransferLink.Listener> listeners = new ArrayList<>();

  private final ManagerNode node =
      new ManagerNode(
          new ManagerSettings(
              "a",
              "a:1",
              Duration.ofSeconds(2),
              Duration.ofMillis(500),
              Duration.ofSeconds(5),
              1000,
              1000,
              10,
              Retention.DEFAULT,
              Proofs.OPEN),
          store,
          clock,
          Runnable::run,
          new Idle());

  private final Validators validators =
      new Validators(
          node,
          new NoMembers(),
          (address, listener) -> {
            listeners.add(listener);
            return new Link();
          },
          Runnable::run,
          clock,
          Proofs.OPEN,
          Sharding.DEFAULT);

  @BeforeEach
  void addOne() {
    tick(Duration.ZERO);
    CompletableFuture<BucketMap.Node> added = validators.add(ADDRESS);
    listener().opened(Capabilities.BUCKETS);
    answer(0, 7);
    assertThat(added).isCompleted();
    assertThat(share()).isPositive();
  }

  @Test
  void anAnswerThatIsLate_isNoProofOfAnotherKey() {
    tick(Duration.ofMillis(200));
    begin();
    tick(Duration.ofMillis(200));
    tick(Duration.ofMillis(200));
    answer(1, 7);
    assertThat(share()).isPositive();
    assertThat(pings).as("no ping before the answer to the last one").hasSize(2);
    tick(Duration.ofMillis(200));
    assertThat(pings).hasSize(3);
  }

  @Test
  void anotherProcessAtItsAddress_doesNotHaveItsBuckets() {
    tick(Duration.ofMillis(200));
    answer(1, 8);
    assertThat(share()).isZero();
    assertThat(validators.map().share(BucketMap.PRIMARY)).isEqualTo(BucketMap.BUCKETS);
  }

  @Test
  void aSilentValidator_isCountedAsLost_andRememberedWithTheReason() {
    assertThat(validators.metrics().validators()).isZero(); // as of the last tick
    tick(Duration.ofMillis(100));
    assertThat(validators.metrics())
        .isEqualTo(new ValidatorMetrics(1, 100_000_000, BucketMap.BUCKETS / 2, 0, 1, 0));
    for (int i = 0; i < 10; i++) {
      tick(Duration.ofMillis(110));
    }
    assertThat(validators.metrics())
        .isEqualTo(new ValidatorMetrics(0, 0, BucketMap.BUCKETS, BucketMap.BUCKETS / 2, 2, 1));
    assertThat(validators.losses())
        .singleElement()
        .satisfies(
            loss -> {
              assertThat(loss.validator().name()).isEqualTo("v");
              assertThat(loss.problem()).contains("no answer for PT1S");
            });
  }

  @Test
  void anOlderProcess_andOneThatIsNoValidator_areRefusedWithTheReason() {
    CompletableFuture<BucketMap.Node> older = validators.add("old:1");
    listener().opened(Capabilities.ASSIGNED);
    assertThatThrownBy(older::join)
        .hasMessageContaining("the process there is older and does not vote")
        .hasMessageContaining("address=old:1");
    CompletableFuture<BucketMap.Node> backup = validators.add("backup:1");
    listener().opened(Capabilities.BUCKETS);
    listener().received(new Transfer.Reply.Refused("not a backup"));
    assertThatThrownBy(backup::join).hasMessageContaining("the process there is no validator");
    assertThat(validators.map().validators()).extracting(BucketMap.Node::name).containsExactly("v");
  }

  private int share() {
    return validators.seen().stream().mapToInt(Validators.Seen::buckets).sum();
  }

  private TransferLink.Listener listener() {
    return listeners.get(listeners.size() - 1);
  }

  private void tick(Duration later) {
    clock.advance(later);
    node.tick();
    store.settle();
    validators.tick();
  }

  private void begin() {
    Exchange.with(node::handle, List.of(new WireRequest.Begin(1)));
  }

  private void answer(int ping, long incarnation) {
    long mark = Proofs.OPEN.mark(pings.get(ping).timestamp());
    Transfer.Reply.Counts counts = new Transfer.Reply.Counts(1 << 16, 0, 0, 0, 0);
    listener().received(new Transfer.Reply.Voting("v", incarnation, mark, counts, ""));
  }

  private final class Link implements TransferLink {

    @Override
    public void send(Transfer part) {
      pings.add((Transfer.Ping) part);
    }

    @Override
    public void close() {}
  }

  private static final class NoMembers implements Members {

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
      return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletableFuture<List<Long>> clocksOfOthers(Member me) {
      return CompletableFuture.completedFuture(List.of());
    }
  }

  private static final class Idle implements NodeListener {

    @Override
    public void becamePrimary(long epoch) {}

    @Override
    public void sealed() {}

    @Override
    public void unsealed() {}

    @Override
    public void handedOver(String address) {}

    @Override
    public void retired(Retirement retirement) {}
  }
}
