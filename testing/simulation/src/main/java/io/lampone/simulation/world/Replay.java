package io.lampone.simulation.world;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Runs code that waits for answers, in a world without threads: for each answer the code runs again
 * from its beginning, and receives at once all answers that it had before. So it must be
 * deterministic in its answers, and keep no state between runs.
 */
public final class Replay {

  /** Questions in their order; all but the last have ended. */
  private final List<CompletableFuture<?>> questions = new ArrayList<>();

  private final Blocking code;
  private final CompletableFuture<Void> end = new CompletableFuture<>();

  /** Number of questions that the code has passed since its beginning. */
  private int next;

  /** Code that waits. */
  public interface Blocking {
    void run(Replay replay) throws IOException;
  }

  /** The next answer is not there yet. */
  private static final class NotYet extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotYet() {
      super(null, null, false, false);
    }
  }

  private Replay(Blocking code) {
    this.code = code;
  }

  /** Runs {@code code}; completes when the code has reached its end. */
  public static CompletableFuture<Void> of(Blocking code) {
    Replay replay = new Replay(code);
    replay.run();
    return replay.end;
  }

  private void run() {
    next = 0;
    try {
      code.run(this);
      end.complete(null);
    } catch (NotYet e) {
      var unused = questions.get(questions.size() - 1).whenComplete((value, failure) -> run());
      assert unused != null;
    } catch (IOException | RuntimeException e) {
      end.completeExceptionally(e);
    }
  }

  /**
   * Waits for an answer.
   *
   * @throws IOException with the failure as its cause
   */
  @SuppressWarnings("unchecked")
  public <T> T await(Supplier<CompletableFuture<T>> question) throws IOException {
    if (next == questions.size()) {
      questions.add(question.get());
      throw new NotYet();
    }
    CompletableFuture<T> answer = (CompletableFuture<T>) questions.get(next++);
    if (answer.isCompletedExceptionally()) {
      throw new IOException(FutureFailures.failure(answer));
    }
    return answer.join();
  }
}
