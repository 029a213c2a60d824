package io.lampone.simulation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs code that waits for answers, in a world without threads: for each answer the code is run
 * again from its beginning, and is given at once all answers that it had before. So it must do the
 * same whenever it is given the same answers, and keep nothing between them.
 */
final class Replay {

  private final List<Answer> answers = new ArrayList<>();
  private int next;
  private @Nullable CompletableFuture<?> asked;

  private record Answer(@Nullable Object value, @Nullable Throwable failure) {}

  /** Code that waits. */
  interface Blocking {
    void run(Replay replay) throws IOException;
  }

  /** The next answer is not there yet. */
  private static final class NotYet extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotYet() {
      super(null, null, false, false);
    }
  }

  /** Runs {@code code}; what comes of it completes when it has come to its end. */
  static CompletableFuture<Void> of(Blocking code) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    new Replay().run(code, end);
    return end;
  }

  private void run(Blocking code, CompletableFuture<Void> end) {
    next = 0;
    try {
      code.run(this);
      end.complete(null);
    } catch (NotYet e) {
      CompletableFuture<?> pending = asked;
      if (pending != null) {
        pending.whenComplete(
            (value, failure) -> {
              answers.add(new Answer(value, failure == null ? null : Futures.unwrap(failure)));
              run(code, end);
            });
      }
    } catch (IOException | RuntimeException e) {
      end.completeExceptionally(e);
    }
  }

  /**
   * Waits for an answer.
   *
   * @throws IOException with the failure as its cause
   */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  <T> T await(Supplier<CompletableFuture<T>> question) throws IOException {
    if (next == answers.size()) {
      asked = question.get();
      throw new NotYet();
    }
    Answer answer = answers.get(next++);
    if (answer.failure() != null) {
      throw new IOException(answer.failure());
    }
    return (T) answer.value();
  }
}
