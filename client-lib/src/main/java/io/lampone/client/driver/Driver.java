package io.lampone.client.driver;

import io.lampone.client.core.step.Continuation;
import io.lampone.client.core.step.Event;
import io.lampone.client.core.step.Gate;
import io.lampone.client.core.step.Request;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs machines: on futures ({@link #start}), or on the caller's stack ({@link #await}). */
public final class Driver {

  private static final OptionalLong ELSEWHERE = OptionalLong.empty();

  private final Timer timer;
  private final Clock clock;

  /** Machines that this thread lets pass a gate when the running one has stopped. */
  private final ThreadLocal<Deque<Runnable>> passing = new ThreadLocal<>();

  /**
   * @param timer timer of pauses
   * @param clock read once for each reply
   */
  public Driver(Timer timer, Clock clock) {
    this.timer = timer;
    this.clock = clock;
  }

  /** Returns the timer of pauses. */
  public Timer timer() {
    return timer;
  }

  /** Returns the clock of deadlines. */
  public Clock clock() {
    return clock;
  }

  /** Starts a machine, which continues on the threads of its replies. */
  public <T> CompletableFuture<T> start(Step<T> step) {
    return start(step, ELSEWHERE);
  }

  /**
   * Starts a machine from a waiting thread, which executes everything before the first wait for a
   * reply, see {@link AsyncRequest#startHere}.
   */
  public <T> CompletableFuture<T> startHere(Step<T> step, long deadlineNanos) {
    return start(step, OptionalLong.of(deadlineNanos));
  }

  /**
   * Runs a machine on this thread, which sends requests and reads their replies itself where
   * possible. After a timeout the machine continues without it.
   *
   * @param deadlineNanos time after which this thread sends no requests, on the monotonic clock
   * @param longestNanos maximum wait of this thread
   * @throws ExecutionException if the machine has failed
   * @throws TimeoutException if it did not end in time
   */
  public <T> T await(Step<T> step, long deadlineNanos, long longestNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    long begunNanos = clock.monotonicNanos();
    Run<T> run = new Run<>(step);
    while (run.advance(OptionalLong.of(deadlineNanos))) {
      try {
        run.waitForAnswer(longestNanos - (clock.monotonicNanos() - begunNanos));
      } catch (InterruptedException | TimeoutException e) {
        run.goOnElsewhere();
        throw e;
      }
    }
    return run.end.get();
  }

  private <T> CompletableFuture<T> start(Step<T> step, OptionalLong here) {
    Run<T> run = new Run<>(step);
    if (run.advance(here)) {
      run.goOnElsewhere();
    }
    return run.end;
  }

  /** Running machine, and the machines that wait for it. Used by one thread at a time. */
  private final class Run<T> {

    private final CompletableFuture<T> end = new CompletableFuture<>();
    private final Deque<Continuation<?, ?>> waiting = new ArrayDeque<>();
    private final List<Step<?>> forked = new ArrayList<>(0);
    private Step<?> step;
    // pending reply of the step, if any
    private @Nullable CompletableFuture<?> answer;
    // reads that reply, if the thread of this machine has to
    private @Nullable Supplier<? extends CompletableFuture<?>> unread;

    Run(Step<T> step) {
      this.step = step;
    }

    /**
     * Continues as far as possible.
     *
     * @param here deadline of this thread; empty if it does not wait
     * @return true if a reply is pending; else the machine has ended
     */
    boolean advance(OptionalLong here) {
      return advance(here, false);
    }

    /**
     * Continues as far as possible.
     *
     * @param posts whether the first request is only posted: then {@link #read} comes next
     */
    boolean advance(OptionalLong here, boolean posts) {
      long now = clock.monotonicNanos();
      while (true) {
        if (step instanceof Step.Sub<?, ?> sub) {
          waiting.push(sub.next());
          step = sub.machine();
        } else if (step instanceof Step.Ended<?> ended) {
          if (waiting.isEmpty()) {
            tell(ended);
            startForked();
            return false;
          }
          step = next(waiting.pop(), ended, now);
        } else if (step instanceof Step.Fork fork) {
          forked.add(fork.machine());
          step = Step.done();
        } else {
          if (answer == null && posts) {
            unread = posted(step, here).orElse(null);
            if (unread != null) {
              startForked();
              return true;
            }
          }
          if (answer == null) {
            answer = carryOut(step, posts ? ELSEWHERE : here);
          }
          if (!answer.isDone()) {
            startForked();
            return true;
          }
          step = ended(answer);
          answer = null;
          now = clock.monotonicNanos();
        }
      }
    }

    /** Reads the reply of a posted request, if there is one, and continues as far as possible. */
    boolean read(OptionalLong here) {
      if (unread == null) {
        return answer != null;
      }
      answer = failedIfThrown(unread);
      unread = null;
      return advance(here);
    }

    void waitForAnswer(long nanos) throws InterruptedException, TimeoutException {
      try {
        if (answer != null) {
          answer.get(nanos, TimeUnit.NANOSECONDS);
        }
      } catch (ExecutionException | CancellationException e) {
        // the machine handles the failure
      }
    }

    void goOnElsewhere() {
      if (answer != null) {
        answer.whenComplete(
            (value, failure) -> {
              if (advance(ELSEWHERE)) {
                goOnElsewhere();
              }
            });
      }
    }

    private void startForked() {
      if (!forked.isEmpty()) {
        List<Step<?>> machines = List.copyOf(forked);
        forked.clear();
        machines.forEach(Driver.this::start);
      }
    }

    @SuppressWarnings("unchecked") // the last machine has the result type of the first step
    private void tell(Step.Ended<?> ended) {
      end(end, (Step.Ended<T>) ended);
    }
  }

  private static <P> void end(CompletableFuture<P> future, Step.Ended<P> ended) {
    Throwable failure = ended.failure();
    if (failure == null) {
      future.complete(ended.value());
    } else {
      future.completeExceptionally(failure);
    }
  }

  /**
   * Runs machines that a gate lets pass. A passing machine may open the next gate: this thread runs
   * the machines that wait there afterwards, not nested, so that no number of gates needs a deep
   * stack.
   */
  private void oneAfterTheOther(Runnable machine) {
    Deque<Runnable> later = passing.get();
    if (later != null) {
      later.add(machine);
      return;
    }
    Deque<Runnable> all = new ArrayDeque<>();
    all.add(machine);
    passing.set(all);
    try {
      for (Runnable one = all.poll(); one != null; one = all.poll()) {
        one.run();
      }
    } finally {
      passing.remove();
    }
  }

  @SuppressWarnings("unchecked") // a machine waits for the step that it was joined to
  private static <P> Step<?> next(Continuation<?, ?> machine, Step.Ended<P> ended, long now) {
    try {
      return ((Continuation<P, ?>) machine).next(new Event<>(ended, now));
    } catch (Throwable e) { // an Error too: others may wait for the end
      return Step.failed(e);
    }
  }

  private Optional<? extends Supplier<? extends CompletableFuture<?>>> posted(
      Step<?> step, OptionalLong here) {
    try {
      if (step instanceof Step.Together<?> together) {
        return Optional.of(together(together, here, true));
      }
      return step instanceof Step.Send<?> send && send.request() instanceof AsyncRequest<?> request
          ? request.post(here.getAsLong())
          : Optional.empty();
    } catch (Throwable e) { // see above
      return Optional.of(() -> CompletableFuture.failedFuture(e));
    }
  }

  private CompletableFuture<?> carryOut(Step<?> step, OptionalLong here) {
    return failedIfThrown(() -> started(step, here));
  }

  private static CompletableFuture<?> failedIfThrown(
      Supplier<? extends CompletableFuture<?>> request) {
    try {
      return request.get();
    } catch (Throwable e) { // an Error too: others may wait for the end
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<?> started(Step<?> step, OptionalLong here) {
    if (step instanceof Step.Send<?> send) {
      return send(send.request(), here);
    }
    if (step instanceof Step.Pause pause) {
      return timer.after(pause.length());
    }
    return together((Step.Together<?>) step, here, false).get();
  }

  private <P> CompletableFuture<P> send(Request<P> request, OptionalLong here) {
    if (request instanceof Gate<P> gate) {
      CompletableFuture<P> passed = new CompletableFuture<>();
      gate.whenOpen(ended -> oneAfterTheOther(() -> end(passed, ended)));
      return passed;
    }
    AsyncRequest<P> sendable = (AsyncRequest<P>) request;
    return here.isPresent() ? sendable.startHere(here.getAsLong()) : sendable.start();
  }

  /**
   * Starts all. A thread that waits posts the first requests of all but the last; then it carries
   * out the last one, and reads the replies to the others.
   *
   * @param posts whether the last one is posted, too
   * @return reads the replies, and must be called
   */
  private <P> Supplier<CompletableFuture<List<Step.Ended<P>>>> together(
      Step.Together<P> together, OptionalLong here, boolean posts) {
    List<Run<P>> runs = new ArrayList<>(together.machines().size());
    for (Step<P> machine : together.machines()) {
      Run<P> run = new Run<>(machine);
      boolean isLast = runs.size() == together.machines().size() - 1;
      runs.add(run);
      run.advance(here, here.isPresent() && (posts || !isLast));
    }
    return () -> read(runs, here);
  }

  private static <P> CompletableFuture<List<Step.Ended<P>>> read(
      List<Run<P>> runs, OptionalLong here) {
    for (Run<P> run : runs) {
      if (run.read(here)) {
        run.goOnElsewhere();
      }
    }
    return ends(runs.stream().map(run -> run.end).toList());
  }

  /** Completes with the ends of all futures, in order. */
  public static <P> CompletableFuture<List<Step.Ended<P>>> ends(
      List<CompletableFuture<P>> futures) {
    return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
        .handle((done, failure) -> futures.stream().map(Driver::ended).toList());
  }

  /** Returns the end of a completed future. */
  private static <P> Step.Ended<P> ended(CompletableFuture<P> complete) {
    try {
      return new Step.Done<>(complete.join());
    } catch (CompletionException e) {
      return new Step.Failed<>(e.getCause() == null ? e : e.getCause());
    } catch (RuntimeException e) { // cancelled
      return new Step.Failed<>(e);
    }
  }
}
