package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.RetryAdvice;
import io.lampone.client.Transaction;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Transactions whose writes exceed one request to the transaction manager. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FrameLimitIT {

  private static final int SHORTEST_FRAME = 4096;
  private static final int ROWS = 300;

  @TempDir private static Path directory;

  @Test
  void itIsToldOnceAndWithTheNameOfTheLimit() throws IOException {
    try (RunningCluster cluster =
        RunningCluster.start(directory, manager -> manager.maxFrameBytes(SHORTEST_FRAME))) {
      TableName table = cluster.createTable("frames", ConflictLevel.ROW, "row200");
      AtomicInteger calls = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  cluster
                      .client()
                      .run(
                          tx -> {
                            calls.incrementAndGet();
                            for (int i = 0; i < ROWS; i++) {
                              RunningCluster.put(tx, table, name(i), "1");
                            }
                            return null;
                          }))
          .isInstanceOfSatisfying(
              LamponeException.class,
              e -> {
                assertThat(e.code()).isEqualTo(Code.TOO_LARGE);
                assertThat(e.retryAdvice()).isEqualTo(RetryAdvice.NEVER);
                assertThat(e).hasMessageContaining("lampone.tm.max.frame.bytes");
              });
      assertThat(calls).hasValue(1);
      try (Transaction after = cluster.client().begin()) {
        assertThat(RunningCluster.get(after, table, name(0))).isEqualTo("-");
        RunningCluster.put(after, table, name(0), "2");
        after.commit();
      }
    }
  }

  private static String name(int row) {
    return String.format("row%03d", row);
  }
}
