package io.lampone.sql.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SqlComparisonTest {

  @Test
  void theSlowestSystemDecidesHowLongASliceIs() {
    Duration slice = Duration.ofMillis(150);
    assertThat(SqlComparison.operations(slice, 1_000)).isEqualTo(150);
    assertThat(SqlComparison.operations(slice, 1_000_000)).isEqualTo(2);
    assertThat(SqlComparison.operations(slice, 0)).isEqualTo(10_000);
  }

  @Test
  void theOthersHaveAllButLamponesProvider() throws Exception {
    assertThat(
            SqlComparison.withoutProvider(
                "/a/phoenix-core.jar:/lampone-phoenix-1/x.jar:/a/lampone-phoenix-1.jar"))
        .isEqualTo("/a/phoenix-core.jar:/lampone-phoenix-1/x.jar");
    assertThatThrownBy(() -> SqlComparison.withoutProvider("/a/phoenix-core.jar"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("lampone-phoenix-*.jar");
  }

  @Test
  void differentRows_areAFailure() throws Exception {
    SqlComparison.requireEqual(Map.of(SqlSystem.OMID, "/1,2", SqlSystem.LAMPONE, "/1,2"));
    assertThatThrownBy(
            () ->
                SqlComparison.requireEqual(
                    Map.of(SqlSystem.OMID, "/1,2", SqlSystem.LAMPONE, "/1,3")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("LAMPONE=/1,3");
  }
}
