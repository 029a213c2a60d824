package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.wire.Priority;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class SubmissionStackTest {

  private static final int THREADS = 4;
  private static final int CALLS = 50_000;

  @Test
  void callsAreTakenInTheOrderInWhichTheyCameAndOnlyTheFirstIsNews() {
    SubmissionStack submissions = new SubmissionStack();
    assertThat(submissions.takeAll()).isNull();
    assertThat(submissions.add(call(1))).isTrue();
    assertThat(submissions.add(call(2))).isFalse();
    assertThat(submissions.add(call(3))).isFalse();
    List<Long> taken = new ArrayList<>();
    for (Call<?> call = submissions.takeAll(); call != null; call = call.next) {
      taken.add(call.askedNanos);
    }
    assertThat(taken).containsExactly(1L, 2L, 3L);
    assertThat(submissions.takeAll()).isNull();
    assertThat(submissions.add(call(4))).isTrue();
  }

  /** Whoever is told to come must find every call, and each thread's in its order. */
  @Test
  void noCallIsLostBetweenManyThreads() throws Exception {
    SubmissionStack submissions = new SubmissionStack();
    AtomicInteger news = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(THREADS);
    for (int thread = 0; thread < THREADS; thread++) {
      long first = (long) thread * CALLS;
      new Thread(
              () -> {
                for (int i = 0; i < CALLS; i++) {
                  if (submissions.add(call(first + i))) {
                    news.incrementAndGet();
                  }
                }
                done.countDown();
              })
          .start();
    }
    Map<Long, Long> lastOfThread = new HashMap<>();
    int taken = 0;
    int rounds = 0;
    while (taken < THREADS * CALLS) {
      boolean over = done.getCount() == 0;
      Call<?> call = submissions.takeAll();
      rounds += call == null ? 0 : 1;
      assertThat(over && call == null).isFalse();
      for (; call != null; call = call.next) {
        long thread = call.askedNanos / CALLS;
        assertThat(lastOfThread.getOrDefault(thread, -1L)).isLessThan(call.askedNanos);
        lastOfThread.put(thread, call.askedNanos);
        taken++;
      }
    }
    done.await();
    assertThat(news).hasValue(rounds);
  }

  private static Call<?> call(long number) {
    return new Call.Begin(number, Priority.DEFAULT);
  }
}
