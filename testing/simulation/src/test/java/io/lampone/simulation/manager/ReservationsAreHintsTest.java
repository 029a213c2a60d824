package io.lampone.simulation.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.WireReply;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Trace;
import io.lampone.simulation.world.Violation;
import io.lampone.simulation.world.World;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the invariant of reservations. */
public final class ReservationsAreHintsTest {

  private static final long SECOND = 1_000_000_000;
  private static final WireReply YES = new WireReply.Reserved(1, new Validation.Voted());

  private final World world = new World(new Chance(1), new Trace(false));
  private final ReservationsAreHints invariant = new ReservationsAreHints(world);

  @Test
  void whatHasBeenRenewedWithinASecond_mayRefuse() {
    invariant.answered("a", 10, YES, 0);
    invariant.answered("b", 20, held(10), SECOND - 1);
    invariant.answered("a", 10, YES, SECOND - 1);
    invariant.answered("b", 20, held(10), 2 * SECOND - 2);
    assertThat(world.violation()).isEmpty();
    invariant.answered("b", 20, held(10), 2 * SECOND - 1);
    assertViolated();
  }

  @Test
  void whatWasNeverReserved_mayNotRefuse() {
    invariant.answered("b", 20, held(10), 0);
    assertViolated();
  }

  @Test
  void aRefusalWithoutANewerCommit_isFound() {
    invariant.answered("a", 10, refused(11), 0);
    assertThat(world.violation()).isEmpty();
    invariant.answered("a", 10, refused(10), 0);
    assertViolated();
  }

  @Test
  void aConnectionHas4096AtMost_andAllTogether65536() {
    invariant.answered("a", 10, YES, 0);
    invariant.counted(4_096, 0);
    for (int sender : List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) {
      invariant.answered(sender, 10, YES, 1);
    }
    invariant.counted(65_536, 1);
    assertThat(world.violation()).isEmpty();
    invariant.counted(65_537, 1);
    assertViolated();
  }

  @Test
  void whatOneConnectionHasTooMuch_isFound() {
    invariant.answered("a", 10, YES, 0);
    invariant.answered("b", 10, YES, SECOND);
    invariant.counted(4_097, SECOND);
    assertViolated();
  }

  private static WireReply held(long start) {
    return new WireReply.Reserved(1, new Validation.Held(0, start));
  }

  private static WireReply refused(long commit) {
    return new WireReply.Validated(1, new Validation.Conflict(0, commit));
  }

  private void assertViolated() {
    assertThat(world.violation()).map(Violation::invariant).contains("ReservationsAreHints");
  }
}
