package io.lampone.console.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.console.core.LoginCore.Answer;
import io.lampone.console.core.LoginCore.Verdict;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LoginCoreTest {

  private static final long START = -Duration.ofMinutes(3).toNanos();

  private final LoginCore core = new LoginCore();
  private long now = START;

  @Test
  void unknownCredentials_areCheckedOnce() {
    assertThat(ask("a")).isEqualTo(new Answer(Verdict.PENDING, true));
    assertThat(ask("a")).isEqualTo(new Answer(Verdict.PENDING, false));
    core.checked("a", Optional.of(true), now);
    assertThat(ask("a")).isEqualTo(new Answer(Verdict.PERMITTED, false));
  }

  @Test
  void permission_isRenewedEveryMinute_andARefusalThenHoldsAtOnce() {
    permit("a");
    pass(LoginCore.RENEWED);
    assertThat(ask("a")).isEqualTo(new Answer(Verdict.PERMITTED, true));
    assertThat(ask("a")).as("while it is checked").isEqualTo(new Answer(Verdict.PERMITTED, false));
    core.checked("a", Optional.of(true), now);
    assertThat(ask("a")).isEqualTo(new Answer(Verdict.PERMITTED, false));
    pass(LoginCore.RENEWED);
    assertThat(ask("a").check()).isTrue();
    core.checked("a", Optional.of(false), now);
    assertThat(ask("a")).isEqualTo(new Answer(Verdict.REFUSED, false));
  }

  /** A page of a principal that is logged in still shows that there is no primary. */
  @Test
  void withoutAPrimary_permissionLastsUntilItsEnd() {
    permit("a");
    Duration passed = Duration.ZERO;
    while (passed.plus(LoginCore.RENEWED).compareTo(LoginCore.PERMITTED) < 0) {
      pass(LoginCore.RENEWED);
      passed = passed.plus(LoginCore.RENEWED);
      assertThat(ask("a")).isEqualTo(new Answer(Verdict.PERMITTED, true));
      core.checked("a", Optional.empty(), now);
    }
    pass(LoginCore.RENEWED);
    assertThat(ask("a")).isEqualTo(new Answer(Verdict.PENDING, true));
    core.checked("a", Optional.empty(), now);
    assertThat(ask("a")).isEqualTo(new Answer(Verdict.UNKNOWN, false));
    pass(LoginCore.REFUSED);
    assertThat(ask("a").check()).isTrue();
  }

  @Test
  void refusal_holdsForSomeSeconds() {
    ask("a");
    core.checked("a", Optional.of(false), now);
    pass(LoginCore.REFUSED.minusNanos(1));
    assertThat(ask("a")).isEqualTo(new Answer(Verdict.REFUSED, false));
    pass(Duration.ofNanos(1));
    assertThat(ask("a")).isEqualTo(new Answer(Verdict.PENDING, true));
  }

  @Test
  void manyChecks_areRefused_butNotRenewals() {
    permit("a");
    for (int i = 0; i < LoginCore.MAX_CHECKS; i++) {
      assertThat(ask("guess" + i).check()).isTrue();
    }
    assertThat(ask("b")).isEqualTo(new Answer(Verdict.BUSY, false));
    pass(LoginCore.RENEWED);
    assertThat(ask("a")).isEqualTo(new Answer(Verdict.PERMITTED, true));
  }

  @Test
  void wrongCredentials_doNotDisplaceARightOne_orGrowWithoutBound() {
    permit("a");
    for (int i = 0; i < 10 * LoginCore.CAPACITY; i++) {
      assertThat(ask("guess" + i).check()).isTrue();
      core.checked("guess" + i, Optional.of(false), now);
    }
    assertThat(ask("a")).isEqualTo(new Answer(Verdict.PERMITTED, false));
    assertThat(ask("guess0")).as("forgotten").isEqualTo(new Answer(Verdict.PENDING, true));
  }

  private void permit(String digest) {
    ask(digest);
    core.checked(digest, Optional.of(true), now);
  }

  private Answer ask(String digest) {
    return core.answer(digest, now);
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }
}
