package io.lampone.coprocessor.server;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.ServerReport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Supplies the local version clock with ticks ahead of need, on a dedicated thread (protocol page,
 * section 8): as many as the server recently used per second, twice a second and whenever half of
 * them are used. No request ever waits for the transaction manager, except for a tick when the
 * clock has run out.
 */
public final class TimestampPrefetcher implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TimestampPrefetcher.class);

  /** Maximum lag of the clock behind a reachable transaction manager. */
  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Less than two fetches, so that every second one reports. */
  private static final long REPORT_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Ticks per request: enough for more than half a million versions. */
  private static final int MAX_TICKS = 4096;

  private static final int MIN_TICKS = 4;

  private final TimestampBatches timestampBatches;
  private final LocalVersionClock clock;
  private final Fences fences;
  private final Clock time;

  /** Reads the client's security settings, from files that may have changed. */
  private final Supplier<ClientSecurity> security;

  private final Supplier<ServerReport> report;
  private final RareLine failures;
  private final Thread thread;

  /** True if a request waits for ticks; guarded by this. */
  private boolean hurry;

  /** True if a request has named an unknown timestamp; guarded by this. */
  private boolean unknown;

  /** Guarded by this. */
  private boolean closed;

  /** The connection; null while there is none. Set by the thread, also read by close. */
  private volatile @Nullable TimestampConnection connection;

  /** Time of the last fetch; used by the thread only. */
  private long fetchedAtNanos;

  /** Time from which on the next report is due; used by the thread only. */
  private long reportAtNanos;

  /**
   * @param security called for each connection; throws IllegalArgumentException if unusable
   * @param report returns the state of this server, which is reported once a second
   */
  public TimestampPrefetcher(
      TimestampBatches timestampBatches,
      LocalVersionClock clock,
      Fences fences,
      Supplier<ClientSecurity> security,
      Supplier<ServerReport> report,
      Clock time) {
    this.report = report;
    this.timestampBatches = timestampBatches;
    this.clock = clock;
    this.fences = fences;
    this.time = time;
    this.security = security;
    this.failures = new RareLine(time);
    this.fetchedAtNanos = time.monotonicNanos();
    this.reportAtNanos = fetchedAtNanos;
    this.thread = new Thread(this::run, "lampone-ticks");
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /** Fetches now. Called by writers under row locks: must not take long. */
  public synchronized void hurry() {
    if (!hurry) {
      hurry = true;
      notifyAll();
    }
  }

  /**
   * Fetches now, or when the shortest pause since the last fetch is over: a client that invents
   * timestamps causes no more requests than that.
   */
  synchronized void learn() {
    if (!unknown) {
      unknown = true;
      notifyAll();
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    disconnect();
  }

  private void run() {
    try {
      fetchUntilClosed();
    } finally {
      disconnect();
    }
  }

  private void fetchUntilClosed() {
    long pauseNanos = PERIOD_NANOS;
    boolean failing = false;
    boolean reported = false;
    while (await(pauseNanos, !failing)) {
      try {
        boolean fetched = fetch();
        failing = false;
        if (fetched && reported) {
          LOG.info("Ticks arrive from the transaction manager again");
          reported = false;
        }
        pauseNanos = fetched ? PERIOD_NANOS : SHORTEST_PAUSE_NANOS;
      } catch (IOException | RuntimeException | Error e) {
        // Without this thread there would never be ticks and fast-path writes again.
        disconnect();
        fences.refresh();
        pauseNanos = failing ? Math.min(LONGEST_PAUSE_NANOS, pauseNanos * 2) : SHORTEST_PAUSE_NANOS;
        OptionalLong count = failures.happened();
        if (count.isPresent()) {
          warn(count.getAsLong(), e);
          reported = true;
        }
        failing = true;
      }
    }
  }

  private void warn(long count, Throwable failure) {
    LOG.warn(
        "No ticks from the transaction manager: writes of the fast path will be refused when those"
            + " at hand are used up; trying again, manager={} failuresSinceLastLine={} cause={}",
        fences.manager(),
        count,
        failure.getMessage(),
        failure);
  }

  /** Waits for the next fetch; returns false if closed. */
  private synchronized boolean await(long nanos, boolean mayHurry) {
    long deadline = time.monotonicNanos() + nanos;
    while (!closed && !(hurry && mayHurry)) {
      long left = deadline - time.monotonicNanos();
      if (unknown && mayHurry) {
        left = Math.min(left, fetchedAtNanos + SHORTEST_PAUSE_NANOS - time.monotonicNanos());
      }
      if (left <= 0) {
        break;
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        // Only the end of the process interrupts this thread.
        return false;
      }
    }
    hurry = false;
    unknown = false;
    return !closed;
  }

  /**
   * Fetches ticks; returns whether they were taken. They are not while the record of the
   * transaction manager, or of its current epoch, has not been read.
   */
  private boolean fetch() throws IOException {
    Optional<ManagerRecord> manager = fences.manager();
    if (manager.isEmpty()) {
      // A server that has just started: the first read of the znode is in progress.
      return false;
    }
    if (manager.get().address().isEmpty()) {
      throw new IOException("no transaction manager answers at the moment");
    }
    TimestampConnection current = connection;
    if (current != null && current.epoch() < manager.get().epoch()) {
      disconnect();
      current = null;
    }
    boolean kept = current != null;
    if (current == null) {
      current = open(manager.get());
    }
    int wanted = wanted();
    Optional<ServerReport> due =
        time.monotonicNanos() - reportAtNanos < 0 ? Optional.empty() : Optional.of(report.get());
    long request = timestampBatches.send();
    long[] ticks;
    try {
      ticks = current.fetch(wanted, due);
    } catch (IOException e) {
      if (!kept) {
        throw e;
      }
      disconnect(); // the server may have closed it since
      current = open(manager.get());
      request = timestampBatches.send();
      ticks = current.fetch(wanted, due);
    }
    fetchedAtNanos = time.monotonicNanos();
    if (due.isPresent()) {
      reportAtNanos = fetchedAtNanos + REPORT_PERIOD_NANOS;
    }
    boolean taken = timestampBatches.arrived(request, current.epoch(), ticks);
    fences.issued(ticks[ticks.length - 1]);
    return taken;
  }

  private TimestampConnection open(ManagerRecord manager) throws IOException {
    TimestampConnection opened =
        TimestampConnection.open(address(manager.address()), security.get(), time);
    connection = opened;
    return opened;
  }

  /** Returns the number of ticks used per second, within limits. */
  private int wanted() {
    long elapsedNanos = Math.max(1, time.monotonicNanos() - fetchedAtNanos);
    double perSecond = clock.ticksUsed() * 1e9 / elapsedNanos;
    return (int) Math.min(MAX_TICKS, Math.max(MIN_TICKS, Math.ceil(perSecond)));
  }

  private void disconnect() {
    TimestampConnection old = connection;
    connection = null;
    if (old != null) {
      old.close();
    }
  }

  static InetSocketAddress address(String text) throws IOException {
    int colon = text.lastIndexOf(':');
    try {
      return InetSocketAddress.createUnresolved(
          text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IOException("unreadable address of the transaction manager, address=" + text, e);
    }
  }
}
