package io.lampone.tm.token.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.trust.DelegationToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

final class TokenTableTest {

  private static final long NOW = 1_800_000_000_000L;
  private static final long HOUR = 3_600_000;

  private final TokenTable table =
      new TokenTable(new TokenSettings(Duration.ofHours(10), Duration.ofHours(24), 4, 2));

  @Test
  void aTokenIsValidUntilItExpires() {
    DelegationToken token = token("alice", 1);
    assertThat(table.problem(token, NOW + 10 * HOUR - 1)).isEmpty();
    assertThat(table.problem(token, NOW + 10 * HOUR)).hasValueSatisfying(this::isExpiry);
  }

  @Test
  void aMarksNameDoesNotDependOnTheLanguageOfTheMachine() {
    TokenMark mark = table.cancel(token("alice", 1), "alice", NOW).orElseThrow();
    Locale machine = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      assertThat(TokenMark.ofName(mark.name())).contains(mark);
    } finally {
      Locale.setDefault(machine);
    }
  }

  @Test
  void onlyTheRenewerRenewsAndNotBeyondTheLatestTime() {
    DelegationToken token = token("alice", 1);
    assertThatThrownBy(() -> table.renew(token, "alice", NOW)).hasMessageContaining("its renewer");
    assertThatThrownBy(() -> table.renew(token("alice", "", 2), "", NOW))
        .hasMessageContaining("its renewer");
    assertThat(table.renew(token, "yarn", NOW + HOUR / 2)).as("not worth a mark").isEmpty();
    TokenMark first = table.renew(token, "yarn", NOW + 9 * HOUR).orElseThrow();
    assertThat(first.untilMillis()).isEqualTo(NOW + 19 * HOUR);
    table.add(first);
    assertThat(table.problem(token, NOW + 18 * HOUR)).isEmpty();
    TokenMark second = table.renew(token, "yarn", NOW + 18 * HOUR).orElseThrow();
    assertThat(second.untilMillis()).isEqualTo(NOW + 24 * HOUR);
    table.add(second);
    assertThat(table.renew(token, "yarn", NOW + 23 * HOUR)).isEmpty();
    assertThatThrownBy(() -> table.renew(token, "yarn", NOW + 24 * HOUR))
        .hasMessageContaining("has expired");
    // A mark that was changed in the store does no more.
    table.add(new TokenMark(1, NOW + 1000 * HOUR, false, first.owner()));
    assertThat(table.validUntil(token)).isEqualTo(token.latestMillis());
  }

  @Test
  void ownerAndRenewerCancelForGood() {
    DelegationToken token = token("alice", 1);
    assertThatThrownBy(() -> table.cancel(token, "bob", NOW)).hasMessageContaining("its owner");
    TokenMark renewed = table.renew(token, "yarn", NOW + 9 * HOUR).orElseThrow();
    TokenMark cancelled = table.cancel(token, "alice", NOW + 9 * HOUR).orElseThrow();
    for (List<TokenMark> order :
        List.of(List.of(renewed, cancelled), List.of(cancelled, renewed))) {
      assertThat(table.listed(order, NOW, true)).containsExactly(renewed);
      assertThat(table.problem(token, NOW)).hasValueSatisfying(this::isCancellation);
      assertThatThrownBy(() -> table.renew(token, "yarn", NOW)).hasMessageContaining("cancelled");
      assertThat(table.cancel(token, "yarn", NOW)).isEmpty();
    }
  }

  /** What was stored while others were being listed is not forgotten with the answer. */
  @Test
  void aListingThatBeganBeforeACancellationDoesNotUndoIt() {
    DelegationToken token = token("alice", 1);
    TokenMark mark = table.cancel(token, "alice", NOW).orElseThrow();
    table.beginListing();
    table.add(mark);
    table.listed(List.of(), NOW, true);
    assertThat(table.problem(token, NOW)).isPresent();
    table.beginListing();
    table.listed(List.of(mark), NOW, true);
    assertThat(table.problem(token, NOW)).isPresent();
  }

  @Test
  void marksGoWhenTheirTokensHaveExpiredOnEveryClock() {
    TokenMark mark = table.cancel(token("alice", 1), "alice", NOW).orElseThrow();
    long end = mark.untilMillis() + TokenTable.CLOCKS_DIFFER_MILLIS;
    assertThat(table.listed(List.of(mark), end, true)).isEmpty();
    assertThat(table.size()).isEqualTo(1);
    assertThat(table.listed(List.of(mark), end + 1, true)).containsExactly(mark);
    assertThat(table.size()).isZero();
  }

  /** On the clocks of the others the token has not expired, and would be valid again. */
  @Test
  void aServerWhoseClockMayBeAheadRemovesNoMark_andCancelsWhatHasExpiredByIt() {
    DelegationToken token = token("alice", 1);
    TokenMark mark = table.cancel(token, "alice", NOW).orElseThrow();
    long ahead = mark.untilMillis() + TokenTable.CLOCKS_DIFFER_MILLIS + 1;
    assertThat(table.listed(List.of(mark), ahead, false)).isEmpty();
    DelegationToken another = token("bob", 2);
    assertThat(table.cancel(another, "bob", another.expiresMillis() + 1))
        .hasValueSatisfying(
            cancelled -> assertThat(cancelled.untilMillis()).isEqualTo(another.latestMillis()));
    assertThat(
            table.cancel(another, "bob", another.latestMillis() + TokenTable.CLOCKS_DIFFER_MILLIS))
        .isEmpty();
  }

  @Test
  void whatIsKeptIsLimitedForEachOwnerAndForAll() {
    for (int i = 0; i < 2; i++) {
      table.add(table.renew(token("alice", i), "yarn", NOW + 9 * HOUR).orElseThrow());
    }
    assertThatThrownBy(() -> table.renew(token("alice", 2), "yarn", NOW + 9 * HOUR))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ofOwner=2");
    for (int i = 10; i < 12; i++) {
      table.add(table.renew(token("bob", i), "yarn", NOW + 9 * HOUR).orElseThrow());
    }
    assertThatThrownBy(() -> table.renew(token("carol", 20), "yarn", NOW + 9 * HOUR))
        .hasMessageContaining("kept=4");
    // Those that are kept already can be renewed again, and others cancelled.
    assertThat(table.renew(token("bob", 10), "yarn", NOW + 18 * HOUR)).isPresent();
    for (int i = 30; i < 34; i++) {
      String owner = "owner" + i;
      table.add(table.cancel(token(owner, i), owner, NOW).orElseThrow());
    }
    assertThatThrownBy(() -> table.cancel(token("erin", 40), "erin", NOW))
        .hasMessageContaining("too many cancelled")
        .hasMessageContaining("lampone.tm.security.token.kept");
  }

  /** Tokens cost their owner nothing: those that it cancels must not keep others from renewals. */
  @Test
  void theCancelledTokensOfOneOwnerAreFew_andTakeNoRoomFromRenewals() {
    table.add(table.cancel(token("mallory", 1), "mallory", NOW).orElseThrow());
    assertThatThrownBy(() -> table.cancel(token("mallory", 2), "mallory", NOW))
        .hasMessageContaining("ofOwner=1");
    // Nor does a renewal before it make room for a cancellation.
    table.add(table.renew(token("mallory", 2), "yarn", NOW + 9 * HOUR).orElseThrow());
    assertThatThrownBy(() -> table.cancel(token("mallory", 2), "mallory", NOW + 9 * HOUR))
        .hasMessageContaining("too many cancelled");
    for (int i = 10; i < 13; i++) {
      String owner = "owner" + i;
      table.add(table.renew(token(owner, i), "yarn", NOW + 9 * HOUR).orElseThrow());
    }
  }

  @Test
  void aMarkIsItsName() {
    List<TokenMark> marks = new ArrayList<>();
    for (long number : new long[] {0, 1, -1, Long.MIN_VALUE}) {
      marks.add(new TokenMark(number, NOW, number > 0, TokenMark.ownerOf("alice")));
    }
    assertThat(marks)
        .allSatisfy(
            mark -> {
              assertThat(TokenMark.ofName(mark.name())).contains(mark);
              assertThat(TokenSettings.HIGHEST_KEPT * 2 * (mark.name().length() + 4))
                  .as("one answer of ZooKeeper's")
                  .isLessThan(1_000_000);
            });
    for (String name : new String[] {"", "x", marks.get(0).name() + "0", "%", "a/b"}) {
      assertThat(TokenMark.ofName(name)).isEmpty();
    }
  }

  private void isExpiry(String problem) {
    assertThat(problem).contains("expired").contains("obtain a new one");
  }

  private void isCancellation(String problem) {
    assertThat(problem).contains("cancelled").contains("obtain a new one");
  }

  private static DelegationToken token(String owner, long number) {
    return token(owner, "yarn", number);
  }

  private static DelegationToken token(String owner, String renewer, long number) {
    return new DelegationToken(owner, renewer, NOW, NOW + 10 * HOUR, NOW + 24 * HOUR, number);
  }
}
