package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.transfer.TransferSource;
import io.lampone.tm.core.validation.ValidatorIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A validator and the questions of successive primaries. */
final class ValidatorRoleTest {

  private final List<String> answered = new ArrayList<>();

  private final ManualClock clock = new ManualClock();

  private final ManagerNode node =
      new ManagerNode(
          Optional.of(new ValidatorIdentity("v", 7)),
          new ManagerSettings(
              "v/7",
              "v:1",
              Duration.ofSeconds(2),
              Duration.ofMillis(500),
              Duration.ofSeconds(5),
              1000,
              1000,
              10,
              Retention.DEFAULT,
              Proofs.OPEN),
          new SimulatedStore(),
          clock,
          Runnable::run,
          new IdleListener());

  /** Each may die before the answer arrives: only its next question shows that it has. */
  @Test
  void itRepeatsItsShareToEachPrimary_untilOneHasReceivedIt() {
    TransferSource first = source();
    ask(first, "");
    ask(first, "0-1260");
    ask(source(), "");
    TransferSource third = source();
    ask(third, "");
    ask(third, "0-10");
    ask(third, "0-10");
    assertThat(answered).containsExactly("", "", "0-1260", "0-1260", "0-1260", "0-10");
    assertThat(node.vitals().buckets()).isEqualTo(10);
  }

  @Test
  void aPrimaryThatTakesAllBuckets_isBelieved() {
    TransferSource first = source();
    ask(first, "");
    ask(first, "0-1260");
    TransferSource second = source();
    ask(second, "");
    ask(second, "");
    node.left(first);
    node.left(second);
    ask(source(), "");
    assertThat(answered).endsWith("0-1260", "0-1260", "");
  }

  /** The others have its buckets; it keeps the share for the next primary only. */
  @Test
  void aValidatorThatNoPrimaryAsks_ownsNoBuckets() {
    TransferSource primary = source();
    ask(primary, "");
    ask(primary, "0-1260");
    clock.advance(Duration.ofSeconds(4));
    assertThat(node.vitals().buckets()).isEqualTo(1260);
    ask(primary, "0-1260");
    clock.advance(Duration.ofSeconds(4));
    assertThat(node.vitals().buckets()).isEqualTo(1260);
    node.left(primary);
    clock.advance(Duration.ofSeconds(2));
    assertThat(node.vitals().buckets()).isZero();
    ask(source(), "");
    assertThat(node.vitals().buckets()).as("asked by a stranger").isZero();
    assertThat(answered).endsWith("0-1260");
  }

  /** It may have been removed, or lost its buckets, while no primary could reach it. */
  @Test
  void aShareOfLongAgo_isNotReported() {
    TransferSource first = source();
    ask(first, "");
    ask(first, "0-1260");
    clock.advance(Duration.ofSeconds(119));
    ask(source(), "");
    clock.advance(Duration.ofSeconds(2));
    ask(source(), "");
    assertThat(answered).containsExactly("", "", "0-1260", "");
  }

  private void ask(TransferSource from, String share) {
    node.receive(from, new Transfer.Ping(1, share));
  }

  private TransferSource source() {
    return new TransferSource() {
      @Override
      public void reply(Transfer.Reply reply) {
        answered.add(((Transfer.Reply.Voting) reply).share());
      }
    };
  }
}
