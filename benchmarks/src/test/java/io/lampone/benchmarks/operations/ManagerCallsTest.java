package io.lampone.benchmarks.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.embedded.ManagerAnswers;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ManagerCallsTest {

  private final AtomicLong client = new AtomicLong(1);
  private final AtomicReference<ManagerAnswers> manager =
      new AtomicReference<>(new ManagerAnswers(10, 20, 30));

  @Test
  void onlyWhatHappensWhileTheFastPathRunsIsCounted() {
    ManagerCalls calls = new ManagerCalls(client::get, Optional.of(manager::get));
    client.addAndGet(5);
    manager.set(new ManagerAnswers(50, 60, 70));
    try (ManagerCalls.Watch watch = calls.watch()) {
      manager.set(new ManagerAnswers(58, 60, 70));
      watch.counted(100);
    }
    manager.set(new ManagerAnswers(80, 90, 100));
    assertThat(calls.counts()).isEqualTo(new ManagerCalls.Counts(100, 0, 0, 8));
    assertThat(calls.counts().calls()).isZero();
  }

  @Test
  void aCallThatTheClientCountsIsFound() {
    ManagerCalls calls = new ManagerCalls(client::get, Optional.empty());
    try (ManagerCalls.Watch watch = calls.watch()) {
      client.incrementAndGet();
      watch.counted(1);
    }
    assertThat(calls.counts()).isEqualTo(new ManagerCalls.Counts(1, 1, 0, 0));
    assertThat(calls.counts().calls()).isEqualTo(1);
  }

  @Test
  void aCallThatOnlyTheManagerCountsIsFoundToo() {
    ManagerCalls calls = new ManagerCalls(client::get, Optional.of(manager::get));
    for (int slice = 0; slice < 2; slice++) {
      try (ManagerCalls.Watch watch = calls.watch()) {
        ManagerAnswers before = manager.get();
        manager.set(
            new ManagerAnswers(
                before.timestamps(), before.validations() + 1, before.statuses() + 2));
        watch.counted(1);
      }
    }
    assertThat(calls.counts().calls()).isEqualTo(6);
  }
}
