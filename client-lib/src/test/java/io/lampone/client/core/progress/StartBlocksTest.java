package io.lampone.client.core.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.trust.Proofs;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Start timestamps at hand. */
final class StartBlocksTest {

  private static final long BASE = Timestamps.PLAIN_LIMIT;
  private static final long FLOOR = BASE - 512;

  private final StartBlocks blocks = new StartBlocks();

  @Test
  void eachStartTimestampIsUsedOnceInAscendingOrder() {
    blocks.offer(block(10, 3, 12), 0);
    assertThat(take(0)).contains(tick(10));
    assertThat(take(0)).contains(tick(11));
    assertThat(take(0)).contains(tick(12));
    assertThat(take(0)).isEmpty();
  }

  @Test
  void aBlockIsUsableWhenTheWatermarkHasPassedItsEnd() {
    blocks.offer(block(10, 3, 11), 0);
    assertThat(take(0)).isEmpty();
    assertThat(blocks.wanted()).as("one block waits").isZero();
    blocks.offer(block(20, 0, 12), 0);
    assertThat(take(0)).contains(tick(10));
    assertThat(blocks.wanted()).isPositive();
  }

  /** A session must see what it has done and seen: its snapshots are above its mark. */
  @Test
  void onlyStartTimestampsAboveTheMarkAreUsed() {
    blocks.offer(block(10, 4, 13), 0);
    assertThat(take(tick(9))).contains(tick(10));
    assertThat(take(tick(11))).contains(tick(12));
    assertThat(take(tick(12) + 3)).contains(tick(13));
    assertThat(take(0)).isEmpty();
    blocks.offer(block(20, 4, 23), 0);
    assertThat(take(tick(23))).isEmpty();
    assertThat(take(tick(22) + 255)).contains(tick(23));
  }

  @Test
  void aNewerBlockReplacesAnOlderOne() {
    blocks.offer(block(10, 4, 13), 0);
    blocks.offer(block(20, 4, 23), 0);
    assertThat(take(0)).contains(tick(20));
  }

  @Test
  void anOldBlockIsNotUsed() {
    blocks.offer(block(10, 4, 13), 1_000);
    long limit = 1_000 + StartBlocks.MAX_AGE.toNanos();
    assertThat(blocks.take(0, limit)).isPresent();
    assertThat(blocks.take(0, limit + 1)).isEmpty();
  }

  /** Its age counts from the request, not from the moment at which the watermark passed it. */
  @Test
  void ageCountsFromTheRequest() {
    blocks.offer(block(10, 4, 9), 0);
    blocks.offer(block(20, 0, 13), StartBlocks.MAX_AGE.toNanos());
    assertThat(blocks.take(0, StartBlocks.MAX_AGE.toNanos() + 1)).isEmpty();
  }

  @Test
  void asksForTwiceTheDemand() {
    assertThat(blocks.wanted()).isEqualTo(16);
    for (int i = 0; i < 100; i++) {
      take(0);
    }
    assertThat(blocks.wanted()).isEqualTo(200);
    assertThat(blocks.wanted()).isEqualTo(16);
    for (int i = 0; i < 10_000; i++) {
      take(0);
    }
    assertThat(blocks.wanted()).isEqualTo(1024);
  }

  private Optional<Long> take(long mark) {
    return blocks.take(mark, 0).map(Begin::startTimestamp);
  }

  private static StartBlock block(int first, int count, int watermark) {
    return new StartBlock(
        tick(watermark),
        FLOOR,
        tick(first),
        count,
        Proofs.OPEN.grant(tick(first), Math.max(0, count - 1)));
  }

  private static long tick(int number) {
    return BASE + number * Timestamps.TICK;
  }
}
