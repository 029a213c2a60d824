package io.lampone.faultlab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RetryTest {

  private final Retry retry = new Retry(Duration.ZERO);
  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void aServerThatIsComingBackIsNoViolation() throws Exception {
    assertThat(retry.on(() -> failingAtFirst(Code.STORE_UNAVAILABLE))).isEqualTo(3);
    assertThat(retry.unexplained()).isEmpty();
  }

  @Test
  void whatNoFaultExplainsIsRememberedThoughALaterAttemptSucceeds() throws Exception {
    assertThat(retry.on(() -> failingAtFirst(Code.CORRUPT))).isEqualTo(3);
    assertThat(retry.unexplained()).singleElement().asString().contains("LP-501 of key 3");
  }

  @Test
  void whatAFailedAttemptHasFoundIsKept() throws Exception {
    int done =
        retry.looking(
            found -> {
              found.accept("a row twice, attempt " + calls.get());
              return failingAtFirst(Code.STORE_UNAVAILABLE);
            });
    assertThat(done).isEqualTo(3);
    assertThat(retry.unexplained())
        .containsExactly("a row twice, attempt 0", "a row twice, attempt 1");
  }

  @Test
  void aTableOfTheHostileClientThatIsBeingDroppedIsNoViolation() throws Exception {
    calls.set(0);
    int done =
        retry.on(
            () -> {
              if (calls.incrementAndGet() < 2) {
                throw new LamponeException(
                    Code.TABLE_NOT_TRANSACTIONAL, 0, "disabled: forged-other-7");
              }
              return calls.get();
            });
    assertThat(done).isEqualTo(2);
    assertThat(retry.unexplained()).isEmpty();
  }

  @Test
  void whoNeverSucceedsFails() {
    assertThatThrownBy(
            () ->
                retry.on(
                    () -> {
                      throw new IOException("nobody there");
                    }))
        .hasMessage("nobody there");
  }

  private int failingAtFirst(Code code) throws LamponeException {
    if (calls.incrementAndGet() < 3) {
      throw new LamponeException(code, 7, "of key 3");
    }
    return calls.get();
  }
}
