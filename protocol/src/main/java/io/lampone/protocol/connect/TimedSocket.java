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
 * A socket with a deadline for all reads. The timeout of a plain socket bounds each read but not
 * their sum, so that a peer that sends single bytes could hold the reader forever. It is also the
 * socket below TLS, so that one deadline covers all layers.
 */
final class TimedSocket extends Socket {

  private final Clock clock;

  /** On the monotonic clock; set and read by the reading thread. */
  private long deadlineNanos;

  TimedSocket(Clock clock) {
    this.clock = clock;
    this.deadlineNanos = clock.monotonicNanos();
  }

  /** Limits the total time of all reads from now on. */
  void allow(Duration limit) {
    deadlineNanos = clock.monotonicNanos() + limit.toNanos();
  }

  /** Returns the time left in milliseconds, at least 1. */
  int leftMillis() throws SocketTimeoutException {
    long left = deadlineNanos - clock.monotonicNanos();
    if (left <= 0) {
      throw new SocketTimeoutException("time is up");
    }
    // Zero would mean no timeout.
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
