package io.lampone.benchmarks.operations.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Arithmetic of the projection. */
final class ProjectionTest {

  private static final Projection LINEAR =
      Projection.of(Map.of(2, 0.7, 8, 1.3, 32, 3.7, 64, 6.9), Map.of(2, 0.4, 64, 0.6));

  @Test
  void theTwoPartsOfAVoteAreThoseOfALine() {
    assertThat(LINEAR.fixedMicros()).isCloseTo(0.5, within(1e-9));
    assertThat(LINEAR.keyMicros()).isCloseTo(0.1, within(1e-9));
    assertThat(LINEAR.primaryMicros()).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void oneOfSeveralIsAskedAsOftenAsItHasAKey() {
    assertThat(LINEAR.validatorMicros(31, 1)).isCloseTo(0.5 + 3.1, within(1e-9));
    assertThat(LINEAR.validatorMicros(2, 2)).isCloseTo(0.5 * 0.75 + 0.1, within(1e-9));
    assertThat(LINEAR.perSecond(31, 1)).isCloseTo(1e6 / 3.6, within(1.0));
  }

  @Test
  void thePrimaryIsTheLimitOfManyValidators() {
    assertThat(LINEAR.perSecond(2, 1_000)).isCloseTo(2e6, within(1.0));
  }

  /** The design's condition for the paper's 0.89: a fixed part of at most 0.68 of a key's. */
  @Test
  void thePapersRatioNeedsASmallFixedPart() {
    Projection limit = new Projection(Map.of(), 0.1, 0.68, 1);
    assertThat(limit.perValidator(31, 8)).isCloseTo(0.89, within(0.01));
    Projection free = new Projection(Map.of(), 0.1, 0, 1);
    assertThat(free.perValidator(31, 8)).isCloseTo(1, within(1e-9));
  }
}
