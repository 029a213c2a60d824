package io.lampone.faultlab.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.faultlab.fault.FaultKind.Track;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScheduleTest {

  private static final Map<String, Integer> FULL = Map.of("zk", 3, "master", 2, "rs", 3, "tm", 2);
  private static final Map<String, Integer> SMALL = Map.of("zk", 1, "master", 1, "rs", 2, "tm", 2);
  private static final Duration LONG = Duration.ofMinutes(20);

  @Test
  void aSeedGivesTheSameScheduleEachTimeAndAnotherSeedAnotherOne() {
    List<PlannedFault> one = Schedule.draw(7, LONG, EnumSet.allOf(FaultKind.class), FULL);
    assertThat(Schedule.draw(7, LONG, EnumSet.allOf(FaultKind.class), FULL)).isEqualTo(one);
    assertThat(Schedule.draw(8, LONG, EnumSet.allOf(FaultKind.class), FULL)).isNotEqualTo(one);
  }

  @Test
  void faultsOfOneTrackNeverOverlapAndEndBeforeTheRunDoes() {
    long seed = new Random().nextLong();
    List<PlannedFault> all = Schedule.draw(seed, LONG, EnumSet.allOf(FaultKind.class), FULL);
    for (Track track : Track.values()) {
      long free = 0;
      for (PlannedFault planned : all) {
        if (planned.kind().track() == track) {
          assertThat(planned.atMillis()).as("seed=%d %s", seed, planned).isGreaterThan(free);
          free = planned.atMillis() + planned.millis();
        }
      }
      assertThat(free).as("seed=%d", seed).isBetween(1L, LONG.toMillis());
    }
  }

  @Test
  void everyKindAndEveryRoleHasItsTurn() {
    List<PlannedFault> all = Schedule.draw(1, LONG, EnumSet.allOf(FaultKind.class), FULL);
    Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
    Set<String> roles = new HashSet<>();
    for (PlannedFault planned : all) {
      kinds.add(planned.kind());
      roles.add(planned.target().replaceAll("[-0-9].*", ""));
    }
    assertThat(kinds).containsExactlyInAnyOrder(FaultKind.values());
    assertThat(roles).contains("zk", "master", "rs", "tm");
  }

  @Test
  void aShortRunHasEveryKindThatFitsIntoIt() {
    List<PlannedFault> all =
        Schedule.draw(1, Duration.ofSeconds(125), EnumSet.allOf(FaultKind.class), FULL);
    assertThat(all)
        .extracting(PlannedFault::kind)
        .contains(FaultKind.values())
        .as("kinds in 125 s");
    assertThat(
            Schedule.draw(1, Duration.ofSeconds(15), EnumSet.allOf(FaultKind.class), FULL).stream()
                .map(planned -> planned.atMillis() + planned.millis()))
        .isNotEmpty()
        .allMatch(end -> end < 15_000);
  }

  @Test
  void aServerThatNobodyCanReplaceIsLeftAlone() {
    List<PlannedFault> all = Schedule.draw(1, LONG, List.of(FaultKind.KILL), SMALL);
    assertThat(all).isNotEmpty().noneMatch(planned -> planned.target().matches("zk.*|master.*"));
  }

  @Test
  void leavingATrackOutDoesNotChangeTheOthers() {
    List<PlannedFault> alone = Schedule.draw(3, LONG, List.of(FaultKind.MOVE), FULL);
    List<PlannedFault> both = Schedule.draw(3, LONG, List.of(FaultKind.MOVE, FaultKind.KILL), FULL);
    assertThat(both).containsAll(alone);
  }

  @Test
  void validatorsHaveFaultsOfTheirOwnOnly() {
    Map<String, Integer> roles = Map.of("zk", 3, "master", 2, "rs", 3, "tm", 2, "v", 3);
    List<PlannedFault> all = Schedule.draw(5, LONG, EnumSet.allOf(FaultKind.class), roles);
    Set<String> validators = new HashSet<>();
    for (PlannedFault planned : all) {
      if (planned.target().startsWith("v")) {
        assertThat(planned.kind()).isIn(FaultKind.VALIDATOR_KILL, FaultKind.VALIDATOR_PAUSE);
        validators.add(planned.target());
      }
    }
    assertThat(validators).containsExactlyInAnyOrder("v1", "v2", "v3");
    List<FaultKind> old = FaultKind.usual(false);
    assertThat(old).contains(FaultKind.POWER_CUT).doesNotContain(FaultKind.BUCKET_MOVE);
    assertThat(FaultKind.usual(true)).containsExactly(FaultKind.values());
    assertThat(all).containsAll(Schedule.draw(5, LONG, old, FULL));
  }

  @Test
  void noFaultsNoSchedule() {
    assertThat(Schedule.draw(3, LONG, List.of(), FULL)).isEmpty();
  }
}
