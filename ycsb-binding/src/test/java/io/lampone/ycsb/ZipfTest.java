package io.lampone.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Properties;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ZipfTest {

  private static final int STEPS = 1_000_000;

  @Test
  void sixtyThreePercentOfTransactionsAccessThreeKeysOrLess() {
    Zipf sizes = new Zipf(10, 0.99);
    assertThat(share(sizes, 3)).isCloseTo(0.632, within(0.001));
    assertThat(sizes.rank(0)).isEqualTo(1);
    assertThat(sizes.rank(Math.nextDown(1.0))).isEqualTo(10);
  }

  @Test
  void theFirstTwoRanksAreExactlyZipfs() {
    for (double theta : new double[] {0.5, 0.8, 0.99}) {
      Zipf zipf = new Zipf(1000, theta);
      double zeta = Zipf.zeta(1000, theta);
      assertThat(share(zipf, 1)).isCloseTo(1 / zeta, within(1e-5));
      assertThat(share(zipf, 2)).isCloseTo((1 + Math.pow(2, -theta)) / zeta, within(1e-5));
    }
  }

  @Test
  void theSumOfManyTermsIsItsAsymptoticForm() {
    for (long n : new long[] {1_000, 1_000_000, 100_000_000}) {
      double asymptotic = 5 * Math.pow(n, 0.2) - 4.43754 + 0.5 * Math.pow(n, -0.8);
      assertThat(Zipf.zeta(n, 0.8)).as("n=%d", n).isCloseTo(asymptotic, within(1e-4));
    }
  }

  @Test
  void halfOfTheAccessesAreWritesAndOneTransactionInFiveReadsAndWritesOneKey() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Properties properties = new Properties();
    properties.setProperty("recordcount", "10000");
    properties.setProperty(TxnPlan.MIX, "brwc");
    TxnPlan plan = TxnPlan.of(properties);
    int brwc = 0;
    int accesses = 0;
    int writes = 0;
    for (int i = 0; i < 20_000; i++) {
      TxnPlan.Plan next = plan.next(random);
      if (next.kind().equals("BRWC")) {
        brwc++;
        assertThat(next.accesses()).singleElement().matches(each -> each.reads() && each.writes());
      } else {
        accesses += next.accesses().size();
        writes += (int) next.accesses().stream().filter(TxnPlan.Access::writes).count();
        assertThat(next.accesses().stream().map(TxnPlan.Access::row).distinct())
            .hasSameSizeAs(next.accesses());
      }
    }
    assertThat(brwc / 20_000.0).as("seed=%d", seed).isCloseTo(0.2, within(0.02));
    assertThat((double) writes / accesses).as("seed=%d", seed).isCloseTo(0.5, within(0.02));
    assertThat(plan.value(random)).hasSize(2048);
  }

  private static double share(Zipf zipf, long highest) {
    int count = 0;
    for (int i = 0; i < STEPS; i++) {
      if (zipf.rank((i + 0.5) / STEPS) <= highest) {
        count++;
      }
    }
    return (double) count / STEPS;
  }
}
