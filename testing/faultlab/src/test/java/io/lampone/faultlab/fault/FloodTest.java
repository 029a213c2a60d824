package io.lampone.faultlab.fault;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.tm.Validator.Validation;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests of the verdict on a flood. */
class FloodTest {

  private static final Validation TOO_OLD = new Validation.Refused(Reason.BELOW_WATERMARK, 0);
  private static final Validation BUSY = new Validation.Refused(Reason.OVERLOADED, 1);

  private long nowNanos;
  private final Flood flood = flood(true);

  private Flood flood(boolean alone) {
    return new Flood(
        null,
        null,
        1,
        alone,
        new Clock() {
          @Override
          public long monotonicNanos() {
            return nowNanos;
          }

          @Override
          public long wallMillis() {
            return 0;
          }
        });
  }

  @Test
  void aFloodThatNoOtherTransactionHasMetShowsNothing() {
    flood.flooded();
    assertThatThrownBy(flood::requireNoBreach).isInstanceOf(FaultNotAppliedException.class);
    probe(2, BUSY);
    assertThatCode(flood::requireNoBreach).doesNotThrowAnyException();
  }

  @Test
  void otherFaultsMayKeepTheTransactionsFromAFlood() {
    Flood amongOthers = flood(false);
    amongOthers.flooded();
    assertThatCode(amongOthers::requireNoBreach).doesNotThrowAnyException();
  }

  @Test
  void aTransactionThatIsOlderThanTheTableIsABreachUnlessItWasDelayed() {
    flood.flooded();
    probe(2, BUSY);
    probe(11, TOO_OLD);
    assertThatCode(flood::requireNoBreach).doesNotThrowAnyException();
    probe(3, TOO_OLD);
    assertThatThrownBy(flood::requireNoBreach).hasMessageContaining(InjectedFault.BREACH);
  }

  private void probe(long seconds, Validation answer) {
    long beganNanos = nowNanos;
    nowNanos += TimeUnit.SECONDS.toNanos(seconds);
    flood.probed(beganNanos, answer, false);
  }
}
