package io.lampone.tm.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.ManagerSettings;
import io.lampone.tm.core.ManualClock;
import io.lampone.tm.core.Retention;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ReceivedStateTest {

  private static final Duration LEASE = Duration.ofSeconds(2);

  private final ManualClock clock = new ManualClock();

  @Test
  void aDamagedOrMissingPartIsNoticed() {
    ReceivedState sent =
        new ReceivedState(
            new Transfer.Offer(1, "x"),
            reply -> {},
            PrimaryState.empty(
                new ManagerSettings(
                    "b", "b:1", LEASE, LEASE, LEASE, 10, 10, 10, Retention.DEFAULT, Proofs.OPEN),
                clock),
            clock);
    TransferDigest digest = new TransferDigest();
    digest.conflict(5, (1L << 57) + 256);
    sent.receive(new Transfer.Conflicts(new long[] {5, 1L << 57}));
    Optional<Transfer.Reply> answer =
        sent.receive(new Transfer.Last(0, 0, 0, 1, 0, 0, digest.value()));
    assertThat(answer.orElseThrow()).isInstanceOf(Transfer.Reply.Refused.class);
    assertThat(sent.isComplete()).isFalse();
  }
}
