package io.lampone.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Trace;
import io.lampone.simulation.world.Violation;
import io.lampone.simulation.world.World;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Hand-made histories: only a bug of the simulator, not of the protocol, makes one useless. */
final class JudgeTest {

  private final World world = new World(new Chance(1), new Trace(false));

  @Test
  void anElementThatIsWrittenDownTwiceMakesTheHistoryUseless() {
    Simulation.judge(world, history(append(0, 7), append(1, 7)));
    assertThat(world.violation()).map(Violation::invariant).contains("UsableHistory");
  }

  @Test
  void elementsThatDifferAreJudged() {
    Simulation.judge(world, history(append(0, 7), append(1, 8)));
    assertThat(world.violation()).isEmpty();
  }

  private static HistoryTransaction append(int number, long element) {
    long start = 2_560 + 2_560L * number;
    return new HistoryTransaction(
        number,
        number,
        start,
        start + 256,
        Outcome.OK,
        List.of(new Operation.Append("a1", element)),
        "",
        start,
        start + 256,
        false,
        false,
        List.of(),
        HistoryTransaction.Freshness.STRICT,
        HistoryTransaction.NO_SESSION);
  }

  private static History history(HistoryTransaction... transactions) {
    return new History(
        new History.Header(
            History.Header.LIST_APPEND, History.Header.STRONG_SNAPSHOT_ISOLATION, 1, 0),
        List.of(transactions),
        0);
  }
}
