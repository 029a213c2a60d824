package io.lampone.tm.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class QuotasTest {

  @Test
  void whatALineLeavesOutIsUnlimitedAndABurstIsASecondsWorth() {
    Quotas quotas =
        Quotas.parse(
            List.of(
                "# comment", "", "shop requests=5 outstanding=6", "a burst=2", "* connections=7"));
    assertThat(quotas.byTenant())
        .containsOnlyKeys("shop", "a")
        .containsEntry("shop", new Quota(5, 5, 6, Quota.UNLIMITED))
        .containsEntry("a", new Quota(Quota.UNLIMITED, 2, Quota.UNLIMITED, Quota.UNLIMITED));
    assertThat(quotas.others().connections()).isEqualTo(7);
    assertThat(Quotas.parse(List.of()).others()).isEqualTo(Quota.NONE);
  }

  @Test
  void aLineThatCannotBeReadIsNamed() {
    for (String line :
        new String[] {
          "shop requests",
          "shop requests=",
          "shop requests=0",
          "shop requests=-1",
          "sh/op burst=1",
          "shop request=1",
          "shop burst=1 burst=2",
          "shop requests=9999999999",
          "other burst=1"
        }) {
      assertThatThrownBy(() -> Quotas.parse(List.of("other", line)))
          .as(line)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("line=2");
    }
  }
}
