package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.tm.Hold;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Finding R8, as far as one primary goes. */
final class HoldTableTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final ManualClock clock = new ManualClock();
  private final HoldTable table = new HoldTable(clock, LONGEST);

  @Test
  void theSmallestSnapshotHeldCountsUntilItsHoldExpires() {
    assertThat(table.smallestHeld()).isEmpty();
    table.hold("me", "a", 512, MINUTE);
    table.hold("you", "a", 256, MINUTE.multipliedBy(2));
    assertThat(table.smallestHeld()).hasValue(256);
    clock.advance(MINUTE);
    assertThat(table.list()).extracting(Hold::owner).containsExactly("you");
    clock.advance(MINUTE);
    assertThat(table.smallestHeld()).isEmpty();
  }

  @Test
  void aHoldIsOnTheMonotonicClock() {
    table.hold("me", "a", 512, MINUTE);
    clock.stepWall(Duration.ofDays(7));
    assertThat(table.smallestHeld()).hasValue(512);
  }

  @Test
  void aRenewedHoldLastsFromTheRenewalOn() {
    table.hold("me", "a", 512, MINUTE);
    clock.advance(MINUTE.minusSeconds(1));
    table.renew("me", "a", MINUTE);
    clock.advance(MINUTE.minusSeconds(1));
    assertThat(table.smallestHeld()).hasValue(512);
    clock.advance(Duration.ofSeconds(1));
    assertThatThrownBy(() -> table.renew("me", "a", MINUTE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("read from a new snapshot");
  }

  @Test
  void aReleasedHoldIsGoneAndReleasingItAgainDoesNoHarm() {
    table.hold("me", "a", 512, MINUTE);
    assertThat(table.release("me", "a")).isTrue();
    assertThat(table.release("me", "a")).isFalse();
    assertThat(table.smallestHeld()).isEmpty();
  }

  @Test
  void aNameStandsForOneSnapshot() {
    table.hold("me", "a", 512, MINUTE);
    table.hold("me", "a", 512, MINUTE);
    assertThatThrownBy(() -> table.hold("me", "a", 768, MINUTE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("another snapshot");
    assertThat(table.list()).hasSize(1);
  }

  @Test
  void namesAndLifetimesHaveLimits() {
    for (String bad : new String[] {"", "x".repeat(65), "a b", "a\n"}) {
      assertThatThrownBy(() -> table.hold(bad, "a", 512, MINUTE))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> table.hold("me", bad, 512, MINUTE))
          .isInstanceOf(IllegalArgumentException.class);
    }
    for (Duration bad : new Duration[] {Duration.ZERO, LONGEST.plusMillis(1)}) {
      assertThatThrownBy(() -> table.hold("me", "a", 512, bad))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** Finding T3: made-up owners gain nothing where clients prove who they are. */
  @Test
  void onePrincipalHasItsRoomWhateverOwnersItMakesUp() {
    for (int i = 0; i < HoldTable.MAX_HOLDS_PER_PRINCIPAL; i++) {
      table.hold("shop/owner" + i, "a", 512, MINUTE);
    }
    assertThatThrownBy(() -> table.hold("shop/another", "a", 512, MINUTE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("limitOfOwner=" + HoldTable.MAX_HOLDS_PER_PRINCIPAL);
    table.hold("shopping/x", "a", 512, MINUTE);
    table.renew("shop/owner0", "a", MINUTE);
    assertThat(table.release("shop/owner0", "a")).isTrue();
    table.hold("shop/another", "a", 512, MINUTE);
    assertThatThrownBy(() -> table.hold("a/b/c", "a", 512, MINUTE))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void oneOwnerCannotTakeAllTheRoom() {
    for (int i = 0; i < HoldTable.MAX_HOLDS_PER_OWNER; i++) {
      table.hold("greedy", "a" + i, 512, MINUTE);
    }
    assertThatThrownBy(() -> table.hold("greedy", "more", 512, MINUTE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("limitOfOwner=" + HoldTable.MAX_HOLDS_PER_OWNER);
    int room = HoldTable.MAX_HOLDS - HoldTable.RESERVED_HOLDS;
    for (int i = HoldTable.MAX_HOLDS_PER_OWNER; i < room; i++) {
      table.hold("owner" + i, "a", 512, MINUTE);
    }
    assertThatThrownBy(() -> table.hold("late", "a", 512, MINUTE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("limit=" + room);
    for (int i = 0; i < HoldTable.RESERVED_HOLDS; i++) {
      table.hold("admin", "a" + i, 512, MINUTE, true);
    }
    assertThatThrownBy(() -> table.hold("root", "late", 512, MINUTE, true))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("limit=" + HoldTable.MAX_HOLDS);
    table.renew("greedy", "a0", MINUTE);
    clock.advance(MINUTE);
    table.hold("late", "a", 512, MINUTE);
  }
}
