package io.lampone.client.hbase.read;

import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.range.ScanProgress;
import io.lampone.protocol.Bytes;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.jspecify.annotations.Nullable;

/**
 * Passes the results of a scan to a thread that waits for them, in the groups in which they arrive:
 * the two threads synchronize once for each group, not for each row. Holds a bounded amount of
 * results: beyond it, the scan is stopped until the thread has used half of it.
 *
 * <p>State shared by both threads is guarded by this object's monitor; the sink's methods block on
 * nothing else. The group in use belongs to the thread in {@link Calls#guarded}.
 */
public final class BlockingScanner implements ResultScanner, ScanSink {

  private final long maxBytes;
  private final Calls calls;
  private final ScanProgress progress;
  private final Runnable onClose;

  private final Deque<Group> groups = new ArrayDeque<>();
  private long bytes;
  private @Nullable Runnable resumer;
  private @Nullable Throwable failure;
  private boolean complete;

  /** Number of times the scan has shown that it continues without results. */
  private long signs;

  /** Written under the monitor; read without it for each row. */
  private volatile boolean closed;

  // group in use, and index of its next result; not guarded by the monitor
  private Group taken = Group.NONE;
  private int next;

  /** Results that arrived together. */
  private record Group(List<Result> results, long bytes) {

    static final Group NONE = new Group(List.of(), 0);

    static Group of(List<Result> results) {
      long bytes = 0;
      for (Result result : results) {
        bytes += Result.getTotalSizeOfCells(result);
      }
      return new Group(results, bytes);
    }
  }

  /** Waits of a thread, and their exceptions. */
  public interface Calls {
    /** Runs a call of the transaction's one thread. */
    <T> T guarded(Interruptible<T> body) throws IOException;

    /** Returns milliseconds until the transaction's deadline, not positive after it. */
    LongSupplier millisLeft();

    /**
     * Returns the milliseconds for which a scan may be silent while a thread waits for it, without
     * results and without a sign of progress. All actions of a scan end before that.
     */
    long longestSilenceMillis();

    /** Returns a failure as the application sees it. */
    IOException translate(Throwable failure);

    /** Returns the exception after a timeout. */
    IOException timeout();
  }

  /** Body that may wait. */
  public interface Interruptible<T> {
    T run() throws IOException, InterruptedException;
  }

  /**
   * @param progress recorder of the rows that the thread gets
   */
  public BlockingScanner(long maxBytes, Calls calls, ScanProgress progress, Runnable onClose) {
    this.maxBytes = maxBytes;
    this.calls = calls;
    this.progress = progress;
    this.onClose = onClose;
  }

  @Override
  public boolean onNext(List<Result> results) {
    Group group = Group.of(results);
    synchronized (this) {
      if (closed) {
        return false;
      }
      groups.add(group);
      bytes += group.bytes();
      notifyAll();
      return true;
    }
  }

  @Override
  public synchronized boolean wantsMore() {
    signs++;
    return !closed;
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
    if (!closed && next < taken.results().size()) {
      return given(taken.results().get(next++));
    }
    Group finished = taken;
    taken = Group.NONE;
    next = 0;
    Runnable resume = used(finished);
    if (resume != null) {
      resume.run();
    }
    synchronized (this) {
      long begin = calls.millisLeft().getAsLong();
      long seen = signs;
      while (groups.isEmpty()) {
        if (failure != null) {
          throw calls.translate(failure);
        }
        if (closed) {
          return null;
        }
        if (complete) {
          progress.completed();
          return null;
        }
        long millis = calls.millisLeft().getAsLong();
        if (millis <= 0) {
          throw calls.timeout();
        }
        if (seen != signs) {
          seen = signs;
          begin = millis;
        }
        long patience = calls.longestSilenceMillis() - (begin - millis);
        if (patience <= 0) {
          throw calls.translate(silent());
        }
        wait(Math.min(millis, patience));
      }
      taken = groups.remove();
      next = 1;
      return given(taken.results().get(0));
    }
  }

  private Result given(Result result) {
    if (progress.isKept()) {
      progress.returned(Bytes.wrap(result.getRow()));
    }
    return result;
  }

  private StoreUnavailableException silent() {
    return new StoreUnavailableException(
        "a scan has neither found anything nor failed for longer than everything that it does may"
            + " take: begin it again; if that does not help, the log of this process says what has"
            + " failed, millis="
            + calls.longestSilenceMillis(),
        new IOException("silent scan"));
  }

  /** Releases a used group; returns the continuation of a stopped scan, if it may continue. */
  private synchronized @Nullable Runnable used(Group group) {
    if (closed) {
      return null;
    }
    bytes -= group.bytes();
    if (resumer == null || bytes > maxBytes / 2) {
      return null;
    }
    Runnable resume = resumer;
    resumer = null;
    return resume;
  }

  /** Ends the scan; results not taken are lost. */
  @Override
  public void close() {
    Runnable resume;
    synchronized (this) {
      closed = true;
      groups.clear();
      bytes = 0;
      resume = resumer;
      resumer = null;
      notifyAll();
    }
    progress.closed();
    onClose.run();
    if (resume != null) {
      resume.run(); // so that HBase's scanner stops
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
