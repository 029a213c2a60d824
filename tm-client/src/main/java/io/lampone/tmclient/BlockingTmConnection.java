package io.lampone.tmclient;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Priority;
import io.lampone.protocol.wire.Requests;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A second connection to the primary, for a thread that waits for its answer and is the only one
 * with a request. The thread writes the request and reads the answer itself, so that no other
 * thread has to be woken (ADR 50).
 *
 * <p>A request is attempted once here. If this connection is not open, or in use, or the server
 * does not answer as expected, it is sent on the ordinary connection, a validation as a repetition
 * if it may have been executed. This connection is opened in the background, to the server of the
 * ordinary connection, and closed when that one is lost or has moved.
 *
 * <p>Thread-safe. Used by one thread at a time; any thread may close it.
 */
final class BlockingTmConnection implements AutoCloseable {

  /**
   * Maximum wait of a thread, during which it does not notice an interrupt. The server answers much
   * sooner or has a problem, which the ordinary connection can handle.
   */
  static final Duration LONGEST_WAIT = Duration.ofMillis(100);

  private static final Logger LOG = LoggerFactory.getLogger(BlockingTmConnection.class);

  /** Time for which a thread polls for the answer before it blocks. */
  private static final long LOOK_NANOS = 50_000;

  /** Number of exchanges without polling after a poll in vain. */
  private static final int NOT_LOOKING = 64;

  /**
   * Maximum length of a request: longer ones gain nothing here. No socket buffer is smaller, so
   * that a write does not wait for a server that does not read, which no deadline would end.
   */
  private static final int LONGEST_REQUEST_BYTES = 8 << 10;

  /** The ordinary connection counts from 1: no id is used on both. */
  private static final long FIRST_ID = 1L << 62;

  private static final long CAPABILITIES =
      Capabilities.PRIORITY | Capabilities.ASSIGNED | Capabilities.PROGRESS | Capabilities.BUCKETS;

  private final TransactionManagerClientConfig config;
  private final Clock clock;
  private final ConnectionPauses pauses;
  private final boolean mayLook;

  /** True while a thread uses the connection. */
  private final AtomicBoolean taken = new AtomicBoolean();

  /** True while a thread is opening it. */
  private final AtomicBoolean opening = new AtomicBoolean();

  private final LongAdder answered = new LongAdder();
  private final LongAdder waitedNanos = new LongAdder();
  private final AtomicLong opened = new AtomicLong();
  private final LongAdder sent = new LongAdder();

  // The following are changed under this object's monitor.
  private volatile @Nullable BlockingConnection connection;
  private Optional<InetSocketAddress> primary = Optional.empty();

  // Fields of the thread that uses the connection.
  private long nextId = FIRST_ID;
  private int notLooking;

  /**
   * Result of a request.
   *
   * @param answer empty if the request must be sent on the ordinary connection
   * @param mayHaveBeenExecuted whether that will be a repetition; only without an answer
   */
  record Attempt<T>(Optional<T> answer, boolean mayHaveBeenExecuted) {

    static <T> Attempt<T> none() {
      return new Attempt<>(Optional.empty(), false);
    }

    <U> Attempt<U> map(Function<T, U> change) {
      return new Attempt<>(answer.map(change), mayHaveBeenExecuted);
    }
  }

  /** Writes a request. */
  private interface Writing {
    void write(FrameWriter writer, long id, Priority priority, long capabilities);
  }

  /**
   * A request.
   *
   * @param answer the type of the reply that answers it
   * @param bytes its length in a frame
   * @param needed required {@link Capabilities}; the ordinary connection reports missing ones
   */
  private record Question<R extends WireReply>(
      Class<R> answer, int bytes, long needed, Priority priority, Writing request) {}

  BlockingTmConnection(TransactionManagerClientConfig config, Clock clock) {
    this.config = config;
    this.clock = clock;
    // TLS hides the bytes that have arrived in the socket's buffer.
    this.mayLook =
        Runtime.getRuntime().availableProcessors() > 1 && config.security().tls().isEmpty();
    this.pauses = new ConnectionPauses(clock);
  }

  /**
   * Requests a start timestamp; empty = request it on the ordinary connection.
   *
   * @param deadlineNanos end of the caller's wait, on the monotonic clock
   */
  Optional<TimestampOracle.Begin> begin(Priority priority, long deadlineNanos) {
    return exchange(
            new Question<>(
                WireReply.Begun.class,
                Requests.BEGIN_BYTES,
                0,
                priority,
                (writer, id, sent, capabilities) -> Requests.begin(writer, id, sent)),
            deadlineNanos)
        .answer()
        .map(WireReply.Begun::begin);
  }

  /** Requests a validation. */
  Attempt<Validation> validate(Validator.Request request, Priority priority, long deadlineNanos) {
    return exchange(
            new Question<>(
                WireReply.Validated.class,
                WireRequest.Validate.sizeOf(request),
                (request.conditional() ? Capabilities.ASSIGNED : 0)
                    | (request.terms().mapVersion() != 0 ? Capabilities.BUCKETS : 0),
                priority,
                (writer, id, sent, capabilities) ->
                    Requests.validate(writer, id, sent, request.sentTo(capabilities))),
            deadlineNanos)
        .map(WireReply.Validated::validation);
  }

  /**
   * Requests the vote of the server, which is a validator, without waiting for it.
   *
   * @return reads the reply, and must be called; empty if nothing was sent
   */
  Optional<Supplier<Attempt<Validation>>> vote(
      Validator.Vote vote, Priority priority, long deadlineNanos) {
    return post(
            new Question<>(
                WireReply.Validated.class,
                WireRequest.Vote.sizeOf(vote),
                Capabilities.BUCKETS,
                priority,
                (writer, id, sent, capabilities) -> Requests.vote(writer, id, sent, vote)),
            deadlineNanos)
        .map(reply -> () -> reply.get().map(WireReply.Validated::validation));
  }

  /** Sets the server to use from now on; empty = none. */
  void moveTo(Optional<InetSocketAddress> server) {
    BlockingConnection old;
    synchronized (this) {
      primary = server;
      old = connection;
      connection = null;
      if (server.isPresent()) { // failures of the previous server do not count
        pauses.reset();
      }
    }
    if (old != null) {
      old.close();
    }
  }

  @Override
  public void close() {
    moveTo(Optional.empty());
  }

  ClientStatistics statistics() {
    long waited = waitedNanos.sum();
    return new ClientStatistics(
        sent.sum(), sent.sum(), answered.sum(), waited, waited, opened.get());
  }

  private <R extends WireReply> Attempt<R> exchange(Question<R> question, long deadlineNanos) {
    return post(question, deadlineNanos).map(Supplier::get).orElseGet(Attempt::none);
  }

  /** Sends a request; the supplier reads the reply and frees the connection. */
  private <R extends WireReply> Optional<Supplier<Attempt<R>>> post(
      Question<R> question, long deadlineNanos) {
    if (Thread.currentThread().isInterrupted()) {
      return Optional.empty();
    }
    long now = clock.monotonicNanos();
    long left = Math.min(LONGEST_WAIT.toNanos(), deadlineNanos - now);
    if (left <= 0 || pauses.isPaused(now) || !taken.compareAndSet(false, true)) {
      return Optional.empty();
    }
    boolean posted = false;
    try {
      BlockingConnection open = usable(question);
      if (open == null) {
        return Optional.empty();
      }
      long id = nextId++;
      boolean isSent = send(open, question, id, left);
      posted = true;
      return Optional.of(
          () -> {
            try {
              return isSent ? read(open, question, id, now) : new Attempt<>(Optional.empty(), true);
            } finally {
              taken.set(false);
            }
          });
    } finally {
      if (!posted) {
        taken.set(false);
      }
    }
  }

  /** Returns the connection if it can carry the request. */
  private @Nullable BlockingConnection usable(Question<?> question) {
    BlockingConnection open = connection;
    if (open == null) {
      openSoon();
      return null;
    }
    int room = open.maxSentBytes() - WireRequest.batchHeadBytes();
    return question.bytes() > Math.min(room, LONGEST_REQUEST_BYTES)
            || !Capabilities.has(open.capabilities(), question.needed())
        ? null
        : open;
  }

  /** Returns false if the connection broke: the request may have been sent. */
  private boolean send(BlockingConnection open, Question<?> question, long id, long limitNanos) {
    boolean prioritized = Capabilities.has(open.capabilities(), Capabilities.PRIORITY);
    try {
      open.writer().start(FrameKind.REQUESTS);
      question
          .request()
          .write(
              open.writer(),
              id,
              prioritized ? question.priority() : Priority.DEFAULT,
              open.capabilities());
      open.allow(Duration.ofNanos(limitNanos));
      open.send();
      sent.increment();
      return true;
    } catch (IOException | RuntimeException e) {
      lost(open, e);
      return false;
    }
  }

  private <R extends WireReply> Attempt<R> read(
      BlockingConnection open, Question<R> question, long id, long begunNanos) {
    try {
      look(open);
      List<WireReply> replies = WireReply.readBatch(open.receive());
      if (replies.size() != 1 || replies.get(0).id() != id) {
        throw new MalformedException("not the reply to the request, replies=" + replies);
      }
      answered.increment();
      waitedNanos.add(clock.monotonicNanos() - begunNanos);
      return judge(question, replies.get(0));
    } catch (IOException | RuntimeException e) {
      lost(open, e);
      return new Attempt<>(Optional.empty(), true);
    }
  }

  private <R extends WireReply> Attempt<R> judge(Question<R> question, WireReply reply) {
    if (reply instanceof WireReply.Failed failed) {
      return refused(failed.retryAfterMillis());
    }
    if (reply instanceof WireReply.Validated validated
        && validated.validation() instanceof Validation.Refused refusal
        && refusal.reason().isTransient()) {
      return refused(refusal.retryAfterMillis());
    }
    if (!question.answer().isInstance(reply)) {
      throw new MalformedException("reply does not answer its request, reply=" + reply);
    }
    pauses.answered();
    return new Attempt<>(Optional.of(question.answer().cast(reply)), false);
  }

  /** Handles a refusal: the ordinary connection sends it again and observes further pauses. */
  private <R extends WireReply> Attempt<R> refused(int retryAfterMillis) {
    pauses.pause(Duration.ofMillis(retryAfterMillis));
    return Attempt.none();
  }

  private void look(BlockingConnection open) throws IOException {
    if (!mayLook) {
      return;
    }
    if (notLooking > 0) {
      notLooking--;
    } else if (!open.comesWithin(LOOK_NANOS)) {
      notLooking = NOT_LOOKING;
    }
  }

  private void lost(BlockingConnection open, Exception why) {
    boolean isCurrent;
    synchronized (this) {
      isCurrent = connection == open;
      if (isCurrent) {
        connection = null;
      }
    }
    open.close();
    if (isCurrent) { // otherwise it was closed after a change of the primary
      LOG.debug("line to the transaction manager lost, cause={}", String.valueOf(why));
      pauses.pause(Duration.ZERO);
    }
  }

  private void openSoon() {
    Optional<InetSocketAddress> to;
    synchronized (this) {
      to = primary;
    }
    if (to.isEmpty() || !opening.compareAndSet(false, true)) {
      return;
    }
    Thread opener = new Thread(() -> open(to.get()), "lampone-tm-client-line");
    opener.setDaemon(true);
    try {
      opener.start();
    } catch (OutOfMemoryError e) { // no more threads, which must not fail a transaction
      LOG.debug("no thread to open a line to the transaction manager", e);
      opening.set(false);
      pauses.pause(Duration.ZERO);
    }
  }

  private void open(InetSocketAddress to) {
    try {
      BlockingConnection made =
          BlockingConnection.open(
              to, config.security(), CAPABILITIES, config.connectTimeout(), clock);
      boolean wanted;
      synchronized (this) {
        wanted = primary.equals(Optional.of(to));
        if (wanted) {
          connection = made;
        }
      }
      if (wanted) {
        opened.incrementAndGet();
      } else {
        made.close();
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("no line to the transaction manager, address={} cause={}", to, String.valueOf(e));
      synchronized (this) {
        if (primary.equals(Optional.of(to))) { // otherwise the failure is outdated
          pauses.pause(Duration.ZERO);
        }
      }
    } finally {
      opening.set(false);
    }
  }
}
