package io.lampone.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotSetTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 63, 64, 65, 126, 127, 128})
  void fromASlot_holdsItAndAllLaterOnes(int first) {
    SlotSet expected = SlotSet.NONE;
    for (int slot = first; slot <= Timestamps.MAX_SLOT; slot++) {
      expected = expected.with(slot);
    }
    assertThat(SlotSet.from(first)).isEqualTo(expected);
    for (int slot = 0; slot <= Timestamps.MAX_SLOT; slot++) {
      assertThat(expected.contains(slot)).as("slot=%s", slot).isEqualTo(slot >= first);
    }
  }
}
