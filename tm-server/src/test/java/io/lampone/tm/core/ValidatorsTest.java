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
import org.junit.jupiter.api.Test;

/** A primary and the answers of a validator. */
final class ValidatorsTest {

  private static final String ADDRESS = "v:1";

  private final ManualClock clock = new ManualClock();
  private final SimulatedStore store = new SimulatedStore();
  private final List<Transfer.Ping> pings = new ArrayList<>();
  private final List<TransferLink.Listener> listeners = new ArrayList<>();
  private List<Member> registered = List.of();

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
          new IdleListener());

  private final Validators validators =
      new Validators(
          node,
          new Registry(),
          (address, listener) -> {
            listeners.add(listener);
            return new Link();
          },
          Runnable::run,
          clock,
          Proofs.OPEN,
          Sharding.DEFAULT);

  private void addOne() {
    tick(Duration.ZERO);
    CompletableFuture<BucketMap.Node> added = validators.add(ADDRESS);
    listener().opened(Capabilities.BUCKETS);
    answer(0, 7);
    assertThat(added).isCompleted();
    assertThat(share()).isPositive();
  }

  @Test
  void anAnswerThatIsLate_isNoProofOfAnotherKey() {
    addOne();
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
    addOne();
    tick(Duration.ofMillis(200));
    answer(1, 8);
    assertThat(share()).isZero();
    assertThat(validators.map().share(BucketMap.PRIMARY)).isEqualTo(BucketMap.BUCKETS);
  }

  @Test
  void aSilentValidator_isCountedAsLost_andRememberedWithTheReason() {
    addOne();
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

  /** As at the end of the lifetime of a connection, or after a change of the peers' secret. */
  @Test
  void aValidatorWhoseConnectionEnds_isReachedByAnother_andKeepsItsBuckets() {
    addOne();
    for (int i = 2; i <= 3; i++) {
      listener().closed("it has lasted as long as it may");
      assertThat(listeners).hasSize(i);
      listener().opened(Capabilities.BUCKETS);
      answer(pings.size() - 1, 7);
      tick(Duration.ofMillis(900));
      answer(pings.size() - 1, 7);
    }
    assertThat(share()).isPositive();
    assertThat(validators.losses()).isEmpty();

    listener().closed("it has ended");
    for (int i = 0; i < 10; i++) {
      tick(Duration.ofMillis(100));
      assertThat(share()).isPositive();
    }
    tick(Duration.ofMillis(1));
    assertThat(share()).isZero();
    assertThat(validators.losses()).hasSize(1);
  }

  @Test
  void aValidatorWhoseConnectionEnds_isLost_ifItRefusesAnother_orIsAnotherProcess() {
    addOne();
    listener().closed("it has ended");
    listener().opened(Capabilities.BUCKETS);
    answer(pings.size() - 1, 8);
    assertThat(share()).isZero();
    CompletableFuture<BucketMap.Node> added = validators.add(ADDRESS);
    listener().opened(Capabilities.BUCKETS);
    answer(pings.size() - 1, 8);
    assertThat(added.join().incarnation()).isEqualTo(8);
    assertThat(share()).isPositive();

    listener().closed("it has ended again");
    listener().closed("cannot connect");
    assertThat(share()).isZero();
    assertThat(validators.losses()).hasSize(2);
  }

  @Test
  void aValidatorThatIsAddedWhileItsConnectionIsMadeAnew_isAskedFirst() {
    addOne();
    validators.remove(validators.find("v").orElseThrow(), false);
    listener().closed("it has ended");
    CompletableFuture<BucketMap.Node> added = validators.add(ADDRESS);
    assertThat(added).isNotDone();
    listener().opened(Capabilities.BUCKETS);
    answer(pings.size() - 1, 7);
    assertThat(added.join().incarnation()).isEqualTo(7);
  }

  /** As in a rolling update: the process ends before its name is off the list. */
  @Test
  void theEndOfAValidatorThatWasRemoved_isNoLoss() {
    addOne();
    validators.remove(validators.find("v").orElseThrow(), false);
    assertThat(validators.seen()).as("transactions under way still need its vote").hasSize(1);
    listener().closed("it has ended");
    listener().closed("cannot connect");
    tick(Duration.ofMillis(100));
    assertThat(validators.losses()).isEmpty();
    assertThat(validators.metrics().lost()).isZero();
    assertThat(validators.seen()).isEmpty();
  }

  /** A pause is forgiven: after it the answers are still unread. */
  @Test
  void aSilentValidator_isLost_evenIfThePrimaryPausesAgainAndAgain() {
    addOne();
    for (int i = 0; i < 9; i++) {
      tick(Duration.ofMillis(110));
    }
    tick(Duration.ofSeconds(1));
    assertThat(share()).isPositive();
    for (int i = 0; i < 30; i++) {
      tick(Duration.ofMillis(250));
    }
    assertThat(validators.losses()).hasSize(1);
    assertThat(share()).isZero();
  }

  @Test
  void anOlderProcess_andOneThatIsNoValidator_areRefusedWithTheReason() {
    addOne();
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

  /** Its session had ended when the primary took over, and the first answer is the only one. */
  @Test
  void aValidatorThatRegistersAgainLater_hasItsBucketsAgain() {
    tick(Duration.ZERO);
    tick(Duration.ofSeconds(1));
    assertThat(listeners).isEmpty();
    registered = List.of(member(ADDRESS));
    tick(Duration.ofSeconds(3));
    listener().opened(Capabilities.BUCKETS);
    answer("v", 0, 7, "1260-2520");
    assertThat(share()).isEqualTo(1260);
    assertThat(pings.get(1).share()).as("at once").isEqualTo("1260-2520");
  }

  @Test
  void aValidatorThatCannotBeReachedAtFirst_hasItsBucketsAgain_besideAnother() {
    registered = List.of(member(ADDRESS), member("w:1"));
    tick(Duration.ZERO);
    listeners.get(0).opened(Capabilities.BUCKETS);
    listeners.get(1).closed("no route");
    listeners.remove(1);
    answer("v", 0, 7, "1260-1300");
    tick(Duration.ofMillis(200));
    answer("v", 1, 7, "1260-1300");
    tick(Duration.ofMillis(2800));
    assertThat(listeners).hasSize(2);
    listener().opened(Capabilities.BUCKETS);
    answer("w", pings.size() - 1, 8, "1300-2520");
    assertThat(share()).isEqualTo(1260);
    assertThat(validators.map().validators())
        .extracting(BucketMap.Node::name)
        .containsExactly("v", "w");
  }

  /** What it owned before does not matter any more. */
  @Test
  void afterAChangeByAnAdministrator_noOtherValidatorReturnsByItself() {
    addOne();
    registered = List.of(member("w:1"));
    tick(Duration.ofSeconds(3));
    assertThat(listeners).hasSize(1);
  }

  @Test
  void aChangeByAnAdministrator_endsAQuestionThatIsUnderWay() {
    registered = List.of(member("w:1"));
    tick(Duration.ZERO);
    CompletableFuture<BucketMap.Node> added = validators.add(ADDRESS);
    listener().opened(Capabilities.BUCKETS);
    answer(0, 7);
    assertThat(added).isCompleted();
    listeners.remove(1);
    listener().opened(Capabilities.BUCKETS);
    answer("w", pings.size() - 1, 8, "0-100");
    assertThat(validators.map().validators()).extracting(BucketMap.Node::name).containsExactly("v");
  }

  private static Member member(String address) {
    return new Member("v/1", address, 0, "1");
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
    answer("v", ping, incarnation, "");
  }

  private void answer(String name, int ping, long incarnation, String share) {
    long mark = Proofs.OPEN.mark(pings.get(ping).timestamp());
    Transfer.Reply.Counts counts = new Transfer.Reply.Counts(1 << 16, 0, 0, 0, 0);
    listener().received(new Transfer.Reply.Voting(name, incarnation, mark, counts, share));
  }

  private final class Link implements TransferLink {

    @Override
    public void send(Transfer part) {
      pings.add((Transfer.Ping) part);
    }

    @Override
    public void close() {}
  }

  private final class Registry implements Members {

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
      return CompletableFuture.completedFuture(registered);
    }

    @Override
    public CompletableFuture<List<Long>> clocksOfOthers(Member me) {
      return CompletableFuture.completedFuture(List.of());
    }
  }
}
