package io.lampone.simulation.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.lampone.checker.History;
import io.lampone.checker.SnapshotIsolationChecker;
import io.lampone.simulation.Cluster;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Plan;
import io.lampone.simulation.world.Trace;
import io.lampone.simulation.world.World;
import org.junit.jupiter.api.Test;

/** Lives and deaths of a simulated client. */
public final class SimulatedClientTest {

  private static final int SEEDS = 60;
  private static final int DEATHS = 30;
  private static final int STEPS_BETWEEN_DEATHS = 150;
  private static final int MOST_STEPS = 2_000_000;

  /**
   * Otherwise its client of the transaction manager would open another connection, and deliver
   * replies to an incarnation that did not send the requests: the last transaction is then recorded
   * twice. Seed 76378 found that; since then the seed denotes another run.
   */
  @Test
  void whoHasDiedDoesNotGoOnWhenItsConnectionIsCutBeforeItIsBornAgain() {
    int deaths = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      Chance chance = new Chance(seed);
      World world = new World(chance, new Trace(false));
      Cluster cluster = new Cluster(world, new Parts(Plan.draw(chance, seed)));
      for (int i = 0; i < DEATHS; i++) {
        for (int step = 0; step < STEPS_BETWEEN_DEATHS; step++) {
          world.step();
        }
        SimulatedClient client = chance.pick(cluster.clients());
        if (client.isUp() && !client.isDone()) {
          client.crash();
          client.disconnect();
          deaths++;
        }
      }
      for (int step = 0; step < MOST_STEPS && !areDone(cluster); step++) {
        world.step();
      }
      assertThat(world.violation()).as("seed=%d", seed).isEmpty();
      assertThat(areDone(cluster)).as("clients are done, seed=%d", seed).isTrue();
      History.Header header =
          new History.Header(
              History.Header.LIST_APPEND, History.Header.SNAPSHOT_ISOLATION, seed, 0);
      assertThatCode(
              () ->
                  SnapshotIsolationChecker.check(
                      cluster.recorder().history(header, cluster.commits())))
          .as("a history in which nothing stands twice, seed=%d", seed)
          .doesNotThrowAnyException();
    }
    assertThat(deaths).as("otherwise little has been shown").isGreaterThan(SEEDS);
  }

  private static boolean areDone(Cluster cluster) {
    return cluster.clients().stream().allMatch(SimulatedClient::isDone);
  }
}
