package io.lampone.tm.core.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Timestamps;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The watermark of reported commits. */
final class GapFreePrefixTest {

  private static final long BASE = Timestamps.PLAIN_LIMIT;

  private final GapFreePrefix prefix = new GapFreePrefix();

  /** LeanXcale (paper 000), Table 1: counter at 10, commits 11 to 15 under way. */
  @Test
  void tableOneOfLeanXcale() {
    for (int commit = 11; commit <= 15; commit++) {
      prefix.issued(tick(commit));
    }
    assertThat(number(prefix.watermark(tick(15)))).isEqualTo(10);
    int[] ended = {11, 15, 12, 14, 13};
    int[] snapshots = {11, 11, 12, 12, 15};
    for (int i = 0; i < ended.length; i++) {
      prefix.ended(tick(ended[i]));
      assertThat(number(prefix.watermark(tick(15)))).isEqualTo(snapshots[i]);
    }
  }

  @Test
  void aClientThatReportsNothingHoldsBackTheOthersForAWhileOnly() {
    prefix.issued(tick(1));
    long limit = tick(1) + GapFreePrefix.SILENCE_NANOS;
    assertThat(prefix.watermark(limit)).isEqualTo(tick(0));
    assertThat(prefix.watermark(limit + Timestamps.TICK)).isEqualTo(limit + Timestamps.TICK);
  }

  @Test
  void whatIsUnknownIsIgnored() {
    prefix.issued(tick(5));
    for (long unknown : new long[] {Long.MIN_VALUE, -1, 0, tick(4), tick(6), Long.MAX_VALUE}) {
      prefix.ended(unknown);
    }
    prefix.ended(tick(5) | Long.MIN_VALUE);
    assertThat(prefix.watermark(tick(6))).isEqualTo(tick(4));
  }

  @Test
  void forgetsTheOldestBeyondItsCapacity() {
    for (int i = 1; i <= GapFreePrefix.CAPACITY + 2; i++) {
      prefix.issued(tick(i));
    }
    assertThat(number(prefix.watermark(tick(GapFreePrefix.CAPACITY + 2)))).isEqualTo(2);
  }

  @Test
  void isTheLargestPrefixThatHasEnded() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    TreeSet<Long> model = new TreeSet<>();
    long last = tick(0);
    for (int i = 0; i < 100_000; i++) {
      last += Timestamps.TICK * (1 + random.nextInt(3));
      if (model.size() < 3_000 && random.nextInt(8) < 5) {
        model.add(last);
        prefix.issued(last);
      } else if (!model.isEmpty()) {
        Long some = model.ceiling(tick(random.nextInt((int) number(last) + 1)));
        long ended = some == null ? model.first() : some;
        model.remove(ended);
        prefix.ended(ended);
      }
      long silent = last - GapFreePrefix.SILENCE_NANOS;
      model.headSet(silent).clear();
      long expected = model.isEmpty() ? last : model.first() - Timestamps.TICK;
      assertThat(prefix.watermark(last)).as("seed=%d i=%d", seed, i).isEqualTo(expected);
    }
  }

  private static long tick(long number) {
    return BASE + number * Timestamps.TICK;
  }

  private static long number(long timestamp) {
    return (timestamp - BASE) / Timestamps.TICK;
  }
}
