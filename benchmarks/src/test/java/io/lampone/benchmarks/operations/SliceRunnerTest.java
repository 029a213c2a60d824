package io.lampone.benchmarks.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.lampone.benchmarks.operations.figures.OperationSlice;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SliceRunnerTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SEED = 1;

  private final AtomicLong now = new AtomicLong();
  private final AtomicLong cpu = new AtomicLong();
  private final Clock clock =
      new Clock() {
        @Override
        public long wallMillis() {
          throw new UnsupportedOperationException("no wall clock in a measurement");
        }

        @Override
        public long monotonicNanos() {
          return now.get();
        }
      };

  @Test
  void aSliceHasTheOperationsThatFitAndTheirLatency() throws Exception {
    try (SliceRunner runner = new SliceRunner(1, SEED, clock, cpu::get)) {
      OperationSlice slice =
          runner.run(
              worker -> {
                now.addAndGet(3 * MILLI);
                cpu.addAndGet(2 * MILLI);
              },
              10 * MILLI);
      assertThat(slice.operations()).isEqualTo(4); // the one that crosses the end counts
      assertThat(slice.medianNanos()).isCloseTo(3 * MILLI, within(0.002 * 3 * MILLI));
      assertThat(slice.cpuNanos()).isEqualTo(8 * MILLI);
      assertThat(runner.failures()).isZero();
      assertThat(runner.firstFailure()).isEmpty();
    }
  }

  @Test
  void whatFailsIsCountedAndHasNoLatency() throws Exception {
    AtomicLong calls = new AtomicLong();
    try (SliceRunner runner = new SliceRunner(1, SEED, clock, cpu::get)) {
      OperationSlice slice =
          runner.run(
              worker -> {
                now.addAndGet(MILLI);
                if (calls.incrementAndGet() % 2 == 0) {
                  throw new IOException("number " + calls);
                }
              },
              10 * MILLI);
      assertThat(slice.operations()).isEqualTo(5);
      assertThat(runner.failures()).isEqualTo(5);
      assertThat(runner.firstFailure()).contains("number 2");
    }
  }

  @Test
  void whoFailsAllTheTimeIsGivenUp() {
    try (SliceRunner runner = new SliceRunner(1, SEED, clock, cpu::get)) {
      assertThatThrownBy(
              () ->
                  runner.run(
                      worker -> {
                        throw new IllegalStateException("no such luck"); // and no time passes
                      },
                      MILLI))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("too many operations failed")
          .hasMessageContaining("no such luck");
    }
  }

  @Test
  void allWorkersWorkAndEachChoosesByItself() throws Exception {
    Set<Integer> numbers = ConcurrentHashMap.newKeySet();
    Set<Long> chosen = ConcurrentHashMap.newKeySet();
    try (SliceRunner runner = new SliceRunner(4, SEED, clock, cpu::get)) {
      OperationSlice slice =
          runner.run(
              worker -> {
                numbers.add(worker.number());
                chosen.add(worker.random().nextLong());
                now.addAndGet(MILLI);
              },
              MILLI);
      assertThat(slice.operations()).isGreaterThanOrEqualTo(4);
      assertThat(numbers).containsExactlyInAnyOrder(0, 1, 2, 3);
      assertThat(chosen).hasSizeGreaterThanOrEqualTo(4);
    }
  }
}
