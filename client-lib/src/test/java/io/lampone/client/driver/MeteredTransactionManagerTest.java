package io.lampone.client.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Priority;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

final class MeteredTransactionManagerTest {

  private final List<String> asked = new ArrayList<>();
  private final LongAdder requests = new LongAdder();
  private final TransactionManager counted =
      new MeteredTransactionManager(new Asked(Priority.DEFAULT), requests);

  @Test
  void countsWhatItPassesOn() {
    counted.begin();
    counted.validate(
        new Validator.Request(256, Proofs.OPEN.grant(256, 0), true, new long[0], new long[0]));
    counted.status(256, 0);
    counted.beginHere(1);
    counted.validateHere(
        new Validator.Request(256, Proofs.OPEN.grant(256, 0), true, new long[0], new long[0]), 1);
    assertThat(asked)
        .containsExactly(
            "begin DEFAULT", "validate DEFAULT", "status DEFAULT", "begin here", "validate here");
    assertThat(requests.sum()).isEqualTo(5);
  }

  @Test
  void thePriorityReachesTheManager() {
    TransactionManager urgent = counted.withPriority(Priority.SYSTEM);
    urgent.begin();
    urgent.withPriority(Priority.BATCH).begin();
    assertThat(asked).containsExactly("begin SYSTEM", "begin BATCH");
    assertThat(requests.sum()).isEqualTo(2);
  }

  /** Notes what it is asked, and answers nothing. */
  private final class Asked implements TransactionManager {

    private final Priority priority;

    Asked(Priority priority) {
      this.priority = priority;
    }

    @Override
    public TransactionManager withPriority(Priority other) {
      return new Asked(other);
    }

    @Override
    public CompletableFuture<Begin> begin() {
      asked.add("begin " + priority);
      return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Begin> beginHere(long deadlineNanos) {
      asked.add("begin here");
      return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Validation> validateHere(Request request, long deadlineNanos) {
      asked.add("validate here");
      return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Validation> validate(Request request) {
      asked.add("validate " + priority);
      return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
      asked.add("status " + priority);
      return new CompletableFuture<>();
    }
  }
}
