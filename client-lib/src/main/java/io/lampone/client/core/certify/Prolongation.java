package io.lampone.client.core.certify;

import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import java.time.Duration;

/**
 * Repeats a conditional validation for as long as its certification takes (ADR 81). The transaction
 * manager takes that as a sign of life; without it, other clients may abort the transaction 100 ms
 * after its assignment.
 */
public final class Prolongation {

  /** Pause before the first repetition, within the 100 ms. */
  private static final Duration FIRST = Duration.ofMillis(25);

  /** Pause before the others. They carry all hashes again, and each gives a second more. */
  private static final Duration INTERVAL = Duration.ofMillis(250);

  private final TransactionManagerPort manager;
  private final Validator.Request request;

  private volatile boolean ended;

  /**
   * @param request the validation
   */
  public Prolongation(TransactionManagerPort manager, Validator.Request request) {
    this.manager = manager;
    this.request = request.repeated();
  }

  /**
   * Runs a certification; meanwhile repeats the validation, until there is no answer or another
   * one.
   */
  public <T> Step<T> during(Step<T> certification) {
    return Step.fork(untilEnded(FIRST))
        .then(forked -> certification)
        .next(
            event -> {
              ended = true;
              return event.end();
            });
  }

  private Step<Void> untilEnded(Duration pause) {
    return ended ? Step.done() : Step.pause(pause).next(waited -> ended ? Step.done() : repeated());
  }

  private Step<Void> repeated() {
    return manager
        .validate(request)
        .next(
            answer ->
                answer.failure() == null && isSignOfLife(answer.value())
                    ? untilEnded(INTERVAL)
                    : Step.done());
  }

  /** Returns true if the transaction manager has still prolonged the assignment. */
  private static boolean isSignOfLife(Validation answer) {
    return answer instanceof Validation.Assigned
        || answer instanceof Validation.Refused refused
            && refused.reason() == Validator.Reason.MOVED;
  }
}
