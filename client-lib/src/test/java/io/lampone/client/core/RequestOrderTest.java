package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Order of a transaction's requests. */
class RequestOrderTest {

  private final Fixture fixture = new Fixture();

  @Test
  void aFlushIsSentWhenTheOneBeforeItHasEnded() {
    AtomicInteger sent = new AtomicInteger();
    CompletableFuture<Void> first = new CompletableFuture<>();
    TransactionStore store =
        new ForwardingStore(fixture.memory) {
          @Override
          public Step<Void> flush(FlushBatch batch) {
            sent.incrementAndGet();
            return AsyncRequest.step(() -> first).then(done -> super.flush(batch));
          }
        };
    OpenTransaction transaction =
        fixture.begin(
            fixture.services(store, fixture.manager.port()::validate, TransactionLimits.DEFAULT));
    Fixture.put(transaction, "a", "q", "1");
    CompletableFuture<Void> one = fixture.start(transaction.flush());
    Fixture.put(transaction, "a", "q", "2");
    CompletableFuture<Void> two = fixture.start(transaction.flush());
    assertThat(sent).hasValue(1);
    first.complete(null);
    assertThat(one).isCompleted();
    assertThat(two).isCompleted();
    long mark = fixture.session.mark();
    Committed committed = (Committed) fixture.join(transaction.commit());
    assertThat(committed.commitTimestamp()).isGreaterThan(mark).isEqualTo(fixture.session.mark());
  }
}
