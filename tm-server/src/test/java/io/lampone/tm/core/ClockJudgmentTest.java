package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.tm.core.ClockJudgment.Finding;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** All witnesses that there may be, up to five. */
final class ClockJudgmentTest {

  private static final long LIMIT = 5;
  private static final List<Long> VALUES = List.of(-90L, -6L, -5L, 0L, 5L, 6L, 90L);

  @Test
  void withoutAWitnessNothingIsKnown() {
    assertThat(ClockJudgment.of(List.of(), LIMIT).finding()).isEqualTo(Finding.UNKNOWN);
  }

  @Test
  void aSingleWitnessDecides() {
    assertThat(ClockJudgment.of(List.of(6L), LIMIT))
        .isEqualTo(new ClockJudgment(Finding.AHEAD, 6, 1));
    assertThat(ClockJudgment.of(List.of(5L), LIMIT).finding()).isEqualTo(Finding.RIGHT);
    assertThat(ClockJudgment.of(List.of(-6L), LIMIT).finding()).isEqualTo(Finding.BEHIND);
  }

  /** One's own clock votes for itself: it is wrong only if more than half of the others say so. */
  @Test
  void theMajorityDecides() {
    List<Long> witnesses = new ArrayList<>();
    assertThat(judgeAll(witnesses)).isEqualTo(7 + 49 + 343 + 2_401 + 16_807);
  }

  private static int judgeAll(List<Long> witnesses) {
    int judged = 0;
    for (long value : VALUES) {
      witnesses.add(value);
      judge(witnesses);
      judged += 1 + (witnesses.size() < 5 ? judgeAll(witnesses) : 0);
      witnesses.remove(witnesses.size() - 1);
    }
    return judged;
  }

  private static void judge(List<Long> witnesses) {
    long ahead = witnesses.stream().filter(value -> value > LIMIT).count();
    long behind = witnesses.stream().filter(value -> value < -LIMIT).count();
    Finding expected =
        2 * ahead > witnesses.size()
            ? Finding.AHEAD
            : 2 * behind > witnesses.size() ? Finding.BEHIND : Finding.RIGHT;
    ClockJudgment judgment = ClockJudgment.of(witnesses, LIMIT);
    assertThat(judgment.finding()).as("witnesses=%s", witnesses).isEqualTo(expected);
    assertThat(judgment.witnesses()).isEqualTo(witnesses.size());
    if (judgment.aheadMillis() != 0) {
      assertThat(witnesses).contains(judgment.aheadMillis());
    }
  }
}
