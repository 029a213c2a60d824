package io.lampone.faultlab.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests that an attack which reaches no server does not count. */
class AttackTallyTest {

  @Test
  void anAttackThatNoServerHasAnsweredIsMissing() {
    AttackTally tally = new AttackTally();
    assertThat(tally.missing()).contains("flush", AttackTally.MANAGER);
    tally.answered(AttackTally.FORGED);
    int kinds = tally.missing().size();
    for (long number = 0; number < kinds; number++) {
      if (!AttackTally.kind(number).equals("flush")) {
        tally.answered(AttackTally.kind(number));
      }
    }
    assertThat(tally.missing()).containsExactly("flush");
  }

  @Test
  void eachKindHasItsTurn() {
    AttackTally tally = new AttackTally();
    int kinds = tally.missing().size() - 1;
    for (long number = 5; number < 5 + kinds; number++) {
      tally.answered(AttackTally.kind(number));
    }
    assertThat(tally.missing()).containsExactly(AttackTally.FORGED);
  }
}
