package io.lampone.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** {@code -Dlampone.test.seed=N} runs another seed. */
final class EventQueueTest {

  private static final long SEED = Long.getLong("lampone.test.seed", 1);
  private static final int STEPS = 20_000;
  private static final int MOST_TIMES = 50;

  private static final SimulatedMachine MACHINE =
      new SimulatedMachine(new World(new Chance(SEED), new Trace(false)), "m");

  /** Times coincide often, and the queue grows and is emptied several times. */
  @Test
  void eventsComeByTimeAndThenByNumber() {
    Random random = new Random(SEED);
    EventQueue queue = new EventQueue();
    PriorityQueue<EventQueue.Event> expected =
        new PriorityQueue<>(
            Comparator.comparingLong(EventQueue.Event::timeNanos)
                .thenComparingLong(EventQueue.Event::number));
    for (int step = 0; step < STEPS; step++) {
      boolean grows = step / 2_000 % 2 == 0;
      if (random.nextInt(3) < (grows ? 2 : 1)) {
        // A machine that was paused puts an event back with its number.
        long number = random.nextBoolean() ? step : -step;
        long time = random.nextInt(MOST_TIMES);
        EventQueue.Event event = new EventQueue.Event(time, number, MACHINE, 0, () -> {});
        queue.add(event);
        expected.add(event);
      } else {
        assertThat(queue.poll()).as("seed=%d step=%d", SEED, step).isSameAs(expected.poll());
      }
    }
    while (!expected.isEmpty()) {
      assertThat(queue.poll()).as("seed=%d", SEED).isSameAs(expected.poll());
    }
    assertThat(queue.poll()).isNull();
  }
}
