package io.lampone.protocol.connect;

import io.lampone.protocol.time.Clock;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A socket from which nothing is read after a deadline. A timeout of the socket's own bounds each
 * read and not their sum: who sends a byte now and then could hold the reader for ever. It is the
 * socket underneath TLS too, so that one deadline holds for all that happens above it.
 */
final class TimedSocket extends Socket {

  private final Clock clock;

  /** On the monotonic clock; set and read by the thread that reads. */
  private long deadlineNanos;

  TimedSocket(Clock clock) {
    this.clock = clock;
    this.deadlineNanos = clock.monotonicNanos();
  }

  /** From now on, so long may all that is read take together. */
  void allow(Duration limit) {
    deadlineNanos = clock.monotonicNanos() + limit.toNanos();
  }

  /** Milliseconds that are left, at least one. */
  int leftMillis() throws SocketTimeoutException {
    long left = deadlineNanos - clock.monotonicNanos();
    if (left <= 0) {
      throw new SocketTimeoutException("time is up");
    }
    // Zero would mean for ever.
    return (int) Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMillis(left) + 1);
  }

  @Override
  public InputStream getInputStream() throws IOException {
    return new FilterInputStream(super.getInputStream()) {

      @Override
      public int read() throws IOException {
        setSoTimeout(leftMillis());
        return super.read();
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        setSoTimeout(leftMillis());
        return super.read(bytes, offset, length);
      }
    };
  }
}
