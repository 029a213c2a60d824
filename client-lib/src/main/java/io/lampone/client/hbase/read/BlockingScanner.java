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
 * Hands what a scan finds to a thread that waits for it, in the groups in which it comes: the two
 * threads meet once for each group, not for each row. Holds a bounded amount of results: when there
 * is more, the scan is stopped until the thread has used half of it.
 *
 * <p>What both threads use is guarded by this object's monitor; the sink's methods never block on
 * anything else. The group that is being used belongs to whoever is in {@link Calls#guarded}.
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

  // the group that is being used, and which of its results is the next; not under the monitor
  private Group taken = Group.NONE;
  private int next;

  /** Results that came together. */
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

    /** Milliseconds until the transaction's deadline, not positive after it. */
    LongSupplier millisLeft();

    /**
     * Milliseconds for which a scan may be silent while a thread waits for it: neither results nor
     * a sign that it is still looking for some. All that a scan does ends before that.
     */
    long longestSilenceMillis();

    /** Returns a failure as the application sees it. */
    IOException translate(Throwable failure);

    /** Returns the exception after a timeout. */
    IOException timeout();
  }

  /** A body that may wait. */
  public interface Interruptible<T> {
    T run() throws IOException, InterruptedException;
  }

  /**
   * @param progress is told what the thread is given
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

  /** A group is used up; gives what lets a stopped scan go on, if it may. */
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
