package io.lampone.client;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.FastReads;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.Session;
import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.core.hold.HoldKeeper;
import io.lampone.client.core.hold.HoldTicket;
import io.lampone.client.core.slow.TransactionMetrics.Event;
import io.lampone.client.core.slow.TransactionTrace.Phase;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.TransactionManagerCalls;
import io.lampone.client.hbase.BlockingTransaction;
import io.lampone.client.hbase.FailureTranslator;
import io.lampone.client.hbase.HBaseTransaction;
import io.lampone.client.hbase.read.LatestReader;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Begins transactions while the client is open.
 *
 * @param closed true once the client has been closed
 */
record TransactionStarter(ClientParts parts, AtomicBoolean closed) {

  /** Longest duration of a request to the servers, in operation timeouts. */
  private static final int OPERATIONS = 3;

  /** Returns the deadline, in monotonic nanoseconds, of a transaction that begins now. */
  long deadline(TransactionOptions options) {
    return parts.clock().monotonicNanos() + options.timeout().toNanos();
  }

  /** Returns the bound of one request to the transaction manager plus one to the servers. */
  Duration longestWait() {
    return parts
        .config()
        .managerTimeout()
        .plus(parts.config().operationTimeout().multipliedBy(OPERATIONS));
  }

  /**
   * Begins a transaction; fails if its timeout ends before.
   *
   * @param insists whether it goes on although another one holds what it writes
   */
  CompletableFuture<HBaseTransaction> begin(TransactionOptions options, boolean insists) {
    Duration timeout = options.timeout();
    CompletableFuture<HBaseTransaction> begun =
        parts.driver().start(beginning(options, deadline(options), insists));
    if (begun.isDone() || timeout.compareTo(parts.config().managerTimeout()) >= 0) {
      return begun;
    }
    CompletableFuture<HBaseTransaction> inTime = new CompletableFuture<>();
    begun.whenComplete(
        (transaction, failure) -> {
          if (failure != null) {
            inTime.completeExceptionally(failure);
          } else if (!inTime.complete(transaction)) {
            transaction.abandon();
          }
        });
    parts
        .timer()
        .after(timeout)
        .thenRun(() -> inTime.completeExceptionally(noAnswer(timeout, null)));
    return inTime;
  }

  private static LamponeException noAnswer(Duration timeout, @Nullable Exception cause) {
    return new LamponeException(
        Code.MANAGER_UNAVAILABLE, 0, "no answer in time, timeout=" + timeout, cause);
  }

  /** Begins a transaction on behalf of a thread that will block on the result. */
  CompletableFuture<HBaseTransaction> beginHere(
      TransactionOptions options, long deadlineNanos, boolean insists) {
    return parts.driver().startHere(beginning(options, deadlineNanos, insists), deadlineNanos);
  }

  private Step<HBaseTransaction> beginning(
      TransactionOptions options, long deadlineNanos, boolean insists) {
    if (options.freshness() == Freshness.LATEST) {
      return refusal(options)
          .<Step<HBaseTransaction>>map(Step::failed)
          .orElseGet(() -> Step.done(latest(options, deadlineNanos)));
    }
    TransactionManagerPort manager =
        new TransactionManagerCalls(parts.manager().withPriority(options.priority().onTheWire()));
    OpenTransaction.Services services = parts.servicesAsking(manager);
    Isolation isolation = options.isolation().orElse(parts.config().isolation());
    TransactionMode mode =
        new TransactionMode(
            options.readOnly(),
            true,
            options.oneRegionCommit(),
            isolation == Isolation.SERIALIZABLE,
            insists);
    Step<Begin> begun =
        services
            .trace()
            .measure(
                Phase.BEGIN,
                () -> options.freshness() == Freshness.SESSION ? atHand(manager) : fresh(manager));
    return begun.map(
        begin -> {
          parts.metrics().transactions().count(Event.BEGIN);
          return open(
              begin,
              mode,
              services,
              parts.holds().begun(begin.startTimestamp(), Duration.ZERO, deadlineNanos),
              deadlineNanos);
        });
  }

  /** Returns the failure of a LATEST transaction that cannot begin with these options. */
  private Optional<LamponeException> refusal(TransactionOptions options) {
    if (closed.get()) {
      return Optional.of(clientClosed());
    }
    String why =
        !options.readOnly()
            ? "LATEST is for read-only transactions: add asReadOnly() to the options, or use STRICT"
                + " or SESSION"
            : options.isolation().equals(Optional.of(Isolation.SERIALIZABLE))
                ? "a LATEST transaction has no commit timestamp at which reads could be certified:"
                    + " leave SERIALIZABLE out of its options, or use STRICT"
                : "";
    return why.isEmpty()
        ? Optional.empty()
        : Optional.of(new LamponeException(Code.BAD_REQUEST, 0, why));
  }

  /** Begins a transaction without a snapshot; one is taken if its reads need it. */
  private HBaseTransaction latest(TransactionOptions options, long deadlineNanos) {
    TransactionManagerPort manager =
        new TransactionManagerCalls(parts.manager().withPriority(options.priority().onTheWire()));
    OpenTransaction.Services services = parts.servicesAsking(manager);
    TransactionMode mode = new TransactionMode(true, true, false);
    HoldTicket ticket = parts.holds().begun(HoldKeeper.NO_SNAPSHOT, Duration.ZERO, deadlineNanos);
    LatestReader reader =
        new LatestReader(
            parts.context().access(),
            new FastReads(services.session(), services.resolver(), manager::begin),
            () ->
                services
                    .trace()
                    .measure(Phase.BEGIN, () -> fresh(manager))
                    .map(
                        begin -> {
                          parts.metrics().transactions().count(Event.LOCAL_CHECK_FAILED);
                          ticket.takes(begin.startTimestamp());
                          return new OpenTransaction(begin, mode, services, deadlineNanos);
                        }),
            services.limits().readRows());
    parts.metrics().transactions().count(Event.BEGIN);
    parts.metrics().transactions().count(Event.BEGIN_LATEST);
    Begin none =
        new Begin(
            HoldKeeper.NO_SNAPSHOT,
            services.session().floor(),
            new Grant(HoldKeeper.NO_SNAPSHOT, 0, Tag.NONE));
    return new HBaseTransaction(
        new OpenTransaction(none, mode, services, deadlineNanos),
        parts.context(),
        ticket,
        services.trace(),
        Optional.of(reader));
  }

  /** Runs work in a transaction and commits it; the transaction ends in any case. */
  static <T> CompletableFuture<T> runOnce(
      HBaseTransaction transaction, Function<AsyncTransaction, CompletableFuture<T>> work) {
    CompletableFuture<T> running;
    try {
      running = work.apply(transaction);
      if (running == null) { // application code has no null checks
        throw new LamponeException(
            Code.ILLEGAL_USE,
            transaction.startTimestamp(),
            "the work gave null: it has to give a future, which completes when it has ended");
      }
    } catch (Throwable e) { // including Error: the transaction must end
      running = CompletableFuture.failedFuture(e);
    }
    return running
        .thenCompose(value -> transaction.commit().thenApply(committed -> value))
        .whenComplete((value, failure) -> transaction.abandon());
  }

  /** Returns a start timestamp that is issued after this call. */
  CompletableFuture<Begin> fresh() {
    return parts.driver().start(fresh(new TransactionManagerCalls(parts.manager())));
  }

  /** Returns a start timestamp that is at hand and above the session's mark, or a fresh one. */
  private Step<Begin> atHand(TransactionManagerPort manager) {
    return Step.begin(
        event -> {
          Session session = parts.services().session();
          Optional<Begin> begin =
              closed.get()
                  ? Optional.empty()
                  : parts.progress().take(session.mark(), event.nowNanos());
          if (begin.isEmpty() || begin.get().floor() < session.floor()) {
            return fresh(manager);
          }
          parts.metrics().transactions().count(Event.BEGIN_SESSION);
          session.began(begin.get());
          return Step.done(begin.get());
        });
  }

  private Step<Begin> fresh(TransactionManagerPort manager) {
    if (closed.get()) {
      return Step.failed(clientClosed());
    }
    return manager
        .begin()
        .next(
            event -> {
              Throwable failure = event.failure();
              if (failure != null) {
                return Step.failed(FailureTranslator.translate(failure, 0));
              }
              parts.services().session().began(event.value());
              return event.end();
            });
  }

  private static LamponeException clientClosed() {
    return new LamponeException(Code.ILLEGAL_USE, 0, "the client has been closed");
  }

  HBaseTransaction open(
      Begin begin,
      TransactionMode mode,
      OpenTransaction.Services services,
      HoldTicket ticket,
      long deadlineNanos) {
    return new HBaseTransaction(
        new OpenTransaction(begin, mode, services, deadlineNanos),
        parts.context(),
        ticket,
        services.trace());
  }

  Transaction blocking(HBaseTransaction transaction) {
    return new BlockingTransaction(transaction);
  }

  /** Returns a transaction whose begin may still be in progress. */
  Transaction blocking(CompletableFuture<HBaseTransaction> begun, long deadlineNanos) {
    return new BlockingTransaction(begun, parts.context(), deadlineNanos);
  }

  /** Begins a read-only transaction; see {@link LamponeClient#asOf(long, TransactionOptions)}. */
  HBaseTransaction asOf(long timestamp, TransactionOptions options) throws IOException {
    if (options.freshness() == Freshness.LATEST) {
      throw new LamponeException(
          Code.BAD_REQUEST,
          0,
          "asOf reads a snapshot of the past: leave LATEST out of its options");
    }
    long snapshot = Timestamps.tick(timestamp);
    if (!Timestamps.isGlobal(snapshot)) {
      throw new LamponeException(
          Code.BAD_REQUEST, 0, "no snapshot has this timestamp, timestamp=" + timestamp);
    }
    long deadlineNanos = deadline(options);
    Begin now = await(fresh());
    if (snapshot > now.startTimestamp()) {
      throw new LamponeException(
          Code.BAD_REQUEST,
          0,
          "a snapshot in the future cannot be read, timestamp="
              + timestamp
              + " now="
              + now.startTimestamp());
    }
    // Ticks are nanoseconds.
    Duration age = Duration.ofNanos(now.startTimestamp() - snapshot);
    HoldTicket ticket = parts.holds().begun(snapshot, age, deadlineNanos);
    try {
      secure(ticket);
    } catch (IOException | RuntimeException e) {
      parts.holds().ended(ticket);
      throw e;
    }
    // The timestamp may equal that of a transaction with writes; they are not this one's own.
    return open(
        new Begin(snapshot, now.floor(), now.grant()),
        new TransactionMode(true, false, false),
        parts.services(),
        ticket,
        deadlineNanos);
  }

  /**
   * Acquires the hold of an old snapshot. One below the safe point cannot be held, but a table with
   * a longer retention may still serve it; every read is checked.
   */
  private void secure(HoldTicket ticket) throws IOException {
    try {
      await(parts.driver().start(parts.holds().secure(ticket)));
    } catch (SnapshotTooOldException e) {
      if (!await(parts.context().tables().someMayKeepLonger())) {
        throw e;
      }
    }
  }

  /** Waits for at most one request to the transaction manager and one to the servers. */
  <T> T await(CompletableFuture<T> step) throws IOException {
    return await(step, longestWait());
  }

  /** Waits for at most {@code longest}. */
  <T> T await(CompletableFuture<T> step, Duration longest) throws IOException {
    try {
      return step.get(longest.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted").initCause(e);
    } catch (TimeoutException e) {
      throw noAnswer(longest, e);
    } catch (ExecutionException e) {
      throw FailureTranslator.translate(e, 0);
    }
  }
}
