package io.lampone.client.hbase;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.jspecify.annotations.Nullable;

/**
 * Hands what a scan finds to a thread that waits for it. Holds a bounded amount of results: when
 * there is more, the scan is stopped until the thread has taken half of it.
 *
 * <p>Every mutable field is guarded by this object's monitor; the sink's methods never block on
 * anything else.
 */
final class BlockingScanner implements ResultScanner, ScanSink {

  private final long maxBytes;
  private final Calls calls;
  private final Runnable onClose;

  private final Deque<Result> results = new ArrayDeque<>();
  private long bytes;
  private @Nullable Runnable resumer;
  private @Nullable Throwable failure;
  private boolean complete;
  private boolean closed;

  /** How a waiting thread waits, and what it throws. */
  interface Calls {
    /** Runs a call of the transaction's one thread. */
    <T> T guarded(Interruptible<T> body) throws IOException;

    /** Milliseconds until the transaction's deadline, not positive after it. */
    LongSupplier millisLeft();

    /** What the application sees of a failure. */
    IOException translate(Throwable failure);

    /** What the application sees when its time is up. */
    IOException timeout();
  }

  /** A body that may wait. */
  interface Interruptible<T> {
    T run() throws IOException, InterruptedException;
  }

  BlockingScanner(long maxBytes, Calls calls, Runnable onClose) {
    this.maxBytes = maxBytes;
    this.calls = calls;
    this.onClose = onClose;
  }

  @Override
  public synchronized boolean onNext(Result result) {
    if (closed) {
      return false;
    }
    results.add(result);
    bytes += Result.getTotalSizeOfCells(result);
    notifyAll();
    return true;
  }

  @Override
  public synchronized void onGroupEnd(Supplier<Runnable> brake) {
    if (!closed && bytes > maxBytes) {
      resumer = brake.get();
    }
  }

  @Override
  public synchronized void onComplete() {
    complete = true;
    notifyAll();
  }

  @Override
  public synchronized void onError(Throwable cause) {
    failure = cause;
    notifyAll();
  }

  @Override
  @SuppressWarnings("NullAway") // HBase's contract: null at the end
  public Result next() throws IOException {
    return calls.guarded(this::take);
  }

  @SuppressWarnings("NullAway") // see next
  private Result take() throws IOException, InterruptedException {
    Runnable resume = null;
    Result result;
    synchronized (this) {
      while (results.isEmpty()) {
        if (failure != null) {
          throw calls.translate(failure);
        }
        if (complete || closed) {
          return null;
        }
        long millis = calls.millisLeft().getAsLong();
        if (millis <= 0) {
          throw calls.timeout();
        }
        wait(millis);
      }
      result = results.remove();
      bytes -= Result.getTotalSizeOfCells(result);
      if (resumer != null && bytes <= maxBytes / 2) {
        resume = resumer;
        resumer = null;
      }
    }
    if (resume != null) {
      resume.run();
    }
    return result;
  }

  /** Ends the scan; results not taken are lost. */
  @Override
  public void close() {
    Runnable resume;
    synchronized (this) {
      closed = true;
      results.clear();
      bytes = 0;
      resume = resumer;
      resumer = null;
      notifyAll();
    }
    onClose.run();
    if (resume != null) {
      resume.run(); // so that HBase's scanner hears that no more is wanted
    }
  }

  @Override
  public boolean renewLease() {
    return false; // HBase's client renews it by itself while the scan is stopped
  }

  @Override
  @SuppressWarnings("NullAway") // HBase's contract: null if not collected
  public ScanMetrics getScanMetrics() {
    return null;
  }
}
