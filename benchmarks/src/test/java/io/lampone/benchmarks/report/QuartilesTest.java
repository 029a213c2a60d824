package io.lampone.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class QuartilesTest {

  @Test
  void ofAnOddNumberAreFiguresThemselves() {
    assertThat(Quartiles.of(List.of(5.0, 1.0, 4.0, 2.0, 3.0)))
        .isEqualTo(new Quartiles(2.0, 3.0, 4.0));
  }

  @Test
  void betweenTwoFiguresAreInterpolated() {
    assertThat(Quartiles.of(List.of(4.0, 1.0, 3.0, 2.0))).isEqualTo(new Quartiles(1.75, 2.5, 3.25));
  }

  @Test
  void ofOneFigureAreThatFigure() {
    assertThat(Quartiles.of(List.of(1.5))).isEqualTo(new Quartiles(1.5, 1.5, 1.5));
  }

  @Test
  void doNotSeeHowFarOutAnOutlierIs() {
    assertThat(Quartiles.of(List.of(1.0, 2.0, 3.0, 4.0, 1e9)))
        .isEqualTo(Quartiles.of(List.of(1.0, 2.0, 3.0, 4.0, 5.0)));
  }

  @Test
  void ofNothingThereAreNone() {
    assertThatThrownBy(() -> Quartiles.of(List.of())).isInstanceOf(IllegalArgumentException.class);
  }
}
