package io.lampone.benchmarks.compare.report;

import static io.lampone.benchmarks.compare.report.Spread.Claim.LESS;
import static io.lampone.benchmarks.compare.report.Spread.Claim.MORE;
import static io.lampone.benchmarks.compare.report.Spread.Claim.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.lampone.benchmarks.report.Quartiles;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {

  private final Spread tenPercent = Spread.of(List.of(new Quartiles(0.98, 1.01, 1.1)));

  @Test
  void theSpreadIsTheControlFigureThatIsFurthestFromOneInEitherDirection() {
    assertThat(tenPercent.factor()).isEqualTo(1.1, within(1e-9));
    Spread below =
        Spread.of(List.of(new Quartiles(0.98, 1.01, 1.1), new Quartiles(0.8, 0.9, 0.95)));
    assertThat(below.factor()).isEqualTo(1.25, within(1e-9));
  }

  @Test
  void aDifferenceBelowThreeTimesTheSpreadIsNotClaimed() {
    // 1.1 cubed is 1.331.
    assertThat(tenPercent.judge(new Quartiles(1.31, 1.32, 1.33))).isEqualTo(NONE);
    assertThat(tenPercent.judge(new Quartiles(1.33, 1.34, 1.35))).isEqualTo(MORE);
    assertThat(tenPercent.judge(new Quartiles(0.755, 0.76, 0.765))).isEqualTo(NONE);
    assertThat(tenPercent.judge(new Quartiles(0.745, 0.75, 0.755))).isEqualTo(LESS);
  }

  @Test
  void aDifferenceWhoseQuartilesAreOnBothSidesIsNotClaimed() {
    assertThat(tenPercent.judge(new Quartiles(0.9, 2, 3))).isEqualTo(NONE);
    assertThat(tenPercent.judge(new Quartiles(0.1, 0.5, 1.1))).isEqualTo(NONE);
  }

  @Test
  void whereChanceDoesNothingTheSameIsStillNotADifference() {
    Spread none = Spread.of(List.of(new Quartiles(1, 1, 1)));
    assertThat(none.judge(new Quartiles(1, 1, 1))).isEqualTo(NONE);
    assertThat(none.judge(new Quartiles(1.01, 1.01, 1.01))).isEqualTo(MORE);
  }
}
