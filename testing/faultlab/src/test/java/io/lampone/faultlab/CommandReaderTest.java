package io.lampone.faultlab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests of the command reader: the lab's parent may die at any time. */
class CommandReaderTest {

  private static final long LONG_SECONDS = 20;
  private static final long SHORT_MILLIS = 100;

  private final PipedOutputStream parent = new PipedOutputStream();
  private final CountDownLatch orphaned = new CountDownLatch(1);
  private final CommandReader orders =
      CommandReader.listen(new PipedInputStream(parent), orphaned::countDown);

  CommandReaderTest() throws IOException {}

  @Test
  void whoDiesInTheMiddleOfARoundIsHeardAtOnce() throws Exception {
    tell("round\n");
    assertThat(orders.next()).contains("round");
    parent.close();
    assertThat(orphaned.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void whoDiesWhileTheLabIsStartedIsHeardAtOnce() throws Exception {
    parent.close();
    assertThat(orphaned.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theEndAfterARoundIsNoDeath() throws Exception {
    tell("round\nanother\n");
    assertThat(orders.next()).contains("round");
    orders.done();
    assertThat(orders.next()).contains("another");
    orders.done();
    parent.close();
    assertThat(orders.next()).isEmpty();
    assertThat(orphaned.await(SHORT_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
  }

  private void tell(String lines) throws IOException {
    parent.write(lines.getBytes(StandardCharsets.UTF_8));
    parent.flush();
  }
}
