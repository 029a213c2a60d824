package io.lampone.tm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ZooKeeperHealthTest {

  @Test
  void silenceIsNewsOnceAndSoIsItsEnd() {
    ZooKeeperHealth silence = new ZooKeeperHealth(Duration.ofSeconds(4), "zk:2181");
    assertThat(silence.observe(Duration.ofSeconds(3).toNanos())).isFalse();
    assertThat(silence.observe(Duration.ofSeconds(5).toNanos())).isTrue();
    assertThat(silence.observe(Duration.ofSeconds(6).toNanos())).isFalse();
    assertThat(silence.observe(Duration.ofMillis(1).toNanos())).isTrue();
    assertThat(silence.observe(Duration.ofMillis(1).toNanos())).isFalse();
  }
}
