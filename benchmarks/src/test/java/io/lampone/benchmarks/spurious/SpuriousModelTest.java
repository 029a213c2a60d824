package io.lampone.benchmarks.spurious;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.lampone.benchmarks.spurious.SpuriousModel.Result;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Centiman's Figures 5 and 6 (paper 003): the shapes that its text states, and the plateaus of an
 * independent model of that text within 5 points.
 */
final class SpuriousModelTest {

  private static final int SECONDS = 120;

  @Test
  void figure6_aWatermarkAfterEachTransaction_leavesLessThanOnePercent() {
    Result each = run(new Rule.Watermark(1), 4, 40);
    assertThat(each.aborts()).isLessThan(1).isCloseTo(0.70, within(0.15));
    assertThat(each.spurious()).isLessThan(0.05);
    Result rarely = run(new Rule.Watermark(100_000), 4, SECONDS);
    assertThat(rarely.aborts()).isCloseTo(2.34, within(1.0)).isGreaterThan(each.aborts());
    Result between = run(new Rule.Watermark(10_000), 4, 40);
    assertThat(between.spurious()).isLessThan(0.3);
  }

  @Test
  void figure6_withOneValidatorNothingIsSpurious() {
    assertThat(run(new Rule.Watermark(100_000), 1, 40).spurious()).isZero();
  }

  @Test
  void lamponesRuleAbortsLess_andNothingWithoutNeed() {
    Result snapshot = run(new Rule.Snapshot(), 4, 40);
    assertThat(snapshot.aborts())
        .isPositive()
        .isLessThan(run(new Rule.Watermark(1), 4, 40).aborts());
    assertThat(snapshot.spurious()).isLessThan(0.01);
    assertThat(snapshot.perSecond()).isCloseTo(12_500, within(200.0));
  }

  @Test
  void figure5_truncationLetsAbortsGrowToAPlateau_thatRisesWithTheWindow() {
    Result ten = run(new Rule.Truncation(10), 4, 180);
    Result twenty = run(new Rule.Truncation(20), 4, 180);
    Result thirty = run(new Rule.Truncation(30), 4, 180);
    Result sixty = run(new Rule.Truncation(60), 4, 180);
    Result two = run(new Rule.Truncation(60), 2, 180);
    assertThat(ten.aborts()).isCloseTo(35.4, within(5.0));
    assertThat(twenty.aborts()).isCloseTo(85.5, within(5.0));
    assertThat(thirty.aborts()).isCloseTo(94.9, within(5.0));
    assertThat(sixty.aborts()).isCloseTo(99.5, within(5.0));
    assertThat(two.aborts()).isCloseTo(93.4, within(5.0)).isLessThan(sixty.aborts());
    for (Result each : List.of(ten, twenty, thirty, sixty, two)) {
      assertThat(each.course()).hasSize(18);
      assertThat(each.course().get(0)).isLessThan(3);
      assertThat(each.course().get(5)).isGreaterThan(each.course().get(2));
      assertThat(each.course().get(17)).isCloseTo(each.course().get(16), within(2.0));
    }
  }

  private static Result run(Rule rule, int validators, int seconds) {
    return new SpuriousModel(rule, validators, seconds, 7).run();
  }
}
