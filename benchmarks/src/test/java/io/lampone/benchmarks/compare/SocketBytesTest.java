package io.lampone.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class SocketBytesTest {

  private static final String BEFORE =
      line(4000, 60020, 11, 100, 1_000) + line(60020, 4000, 1, 1_000, 100);
  private static final String AFTER =
      line(4000, 60020, 11, 150, 1_200)
          + line(60020, 4000, 1, 1_200, 150)
          + line(4001, 7000, 11, 30, 40)
          + line(7000, 4001, 12, 40, 30)
          + line(4002, 60020, 12, 5, 6)
          + line(4003, 60020, 99, 7_000, 7_000);

  @Test
  void aConnectionBetweenTwoProcessesCountsOnceAndThoseOfOthersDoNot() {
    SocketBytes before = SocketBytes.parse(BEFORE);
    SocketBytes after = SocketBytes.parse(AFTER);
    assertThat(after.since(before, Set.of(11L, 12L))).isEqualTo(50 + 200 + 30 + 40 + 5 + 6);
    assertThat(after.since(before, Set.of(12L))).isEqualTo(30 + 40 + 5 + 6);
  }

  @Test
  void aConnectionThatHasBeenClosedTakesNothingAway() {
    assertThat(SocketBytes.parse("").since(SocketBytes.parse(BEFORE), Set.of(11L))).isZero();
  }

  private static String line(int local, int peer, long pid, long sent, long received) {
    return String.format(
        "0      0      [::ffff:127.0.0.1]:%d [::ffff:127.0.0.1]:%d users:((\"java\",pid=%d,fd=44))"
            + " bbr mss:65483 bytes_sent:%d bytes_retrans:3 bytes_acked:9 bytes_received:%d"
            + " segs_out:5%n",
        local, peer, pid, sent, received);
  }
}
