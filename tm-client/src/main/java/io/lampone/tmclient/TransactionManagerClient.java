package io.lampone.tmclient;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;

/**
 * A client of the transaction manager, for any number of threads. Finds the primary, and finds it
 * again when it has changed; requests under way meanwhile are asked again until their time is up.
 *
 * <ul>
 *   <li>A begin that is asked again is a new request: a late answer to the old one is dropped, so
 *       what the caller gets was issued after its call, and to nobody else.
 *   <li>A validation that is asked again is marked as repeated, so that it is never decided twice.
 *   <li>A future that fails with {@link TransactionManagerException} says nothing about the outcome
 *       of a validation.
 * </ul>
 *
 * <p>Futures complete on the client's event loop. What is chained to them runs there and must not
 * block; it may ask again.
 */
public final class TransactionManagerClient implements TransactionManager, AutoCloseable {

  private static final long LONGEST_SWEEP_INTERVAL_MILLIS = 100;
  private static final int SWEEPS_PER_TIMEOUT = 20;
  private static final long STOP_TIMEOUT_MILLIS = 5_000;

  private final TransactionManagerClientConfig config;
  private final Clock clock;
  private final EventLoop loop;

  /** Stops what this client has started for itself. */
  private final Runnable release;

  private final Dispatcher dispatcher;
  private final Future<?> sweeping;

  /** Calls on their way to the event loop. */
  private final Queue<Call> arrivals = new ConcurrentLinkedQueue<>();

  /**
   * Whether a task that empties {@link #arrivals} is on its way. The task clears it before it takes
   * the calls: one that is added after that either is still seen or finds it cleared.
   */
  private final AtomicBoolean awake = new AtomicBoolean();

  /** Calls that have not been completed; bounds the memory that they take. */
  private final AtomicInteger outstanding = new AtomicInteger();

  private final AtomicBoolean closed = new AtomicBoolean();

  private TransactionManagerClient(
      TransactionManagerClientConfig config,
      AddressSource source,
      EventLoop loop,
      Clock clock,
      Runnable release) {
    this.config = config;
    this.clock = clock;
    this.loop = loop;
    this.release = release;
    this.dispatcher =
        new Dispatcher(config, source, loop, clock, new Random(), outstanding::decrementAndGet);
    long shortest = Math.min(config.requestTimeout().toMillis(), config.stallTimeout().toMillis());
    long interval =
        Math.max(1, Math.min(LONGEST_SWEEP_INTERVAL_MILLIS, shortest / SWEEPS_PER_TIMEOUT));
    this.sweeping =
        loop.scheduleWithFixedDelay(dispatcher::sweep, interval, interval, TimeUnit.MILLISECONDS);
  }

  /**
   * A client with a thread of its own. Connects when it is first asked for something.
   *
   * @param source where to find the primary; remains the caller's
   */
  public static TransactionManagerClient create(
      TransactionManagerClientConfig config, AddressSource source) {
    EventLoopGroup group =
        new NioEventLoopGroup(1, new DefaultThreadFactory("lampone-tm-client", true));
    return new TransactionManagerClient(
        config, source, group.next(), SystemClock.INSTANCE, () -> stop(group));
  }

  /** A client on an event loop that remains the caller's, as does the source. */
  public static TransactionManagerClient create(
      TransactionManagerClientConfig config, AddressSource source, EventLoop loop) {
    return new TransactionManagerClient(config, source, loop, SystemClock.INSTANCE, () -> {});
  }

  /** A client that finds the primary through ZooKeeper, with threads and connections of its own. */
  public static TransactionManagerClient connect(
      TransactionManagerClientConfig config, String zookeeperQuorum, String zookeeperParent) {
    ZooKeeperAddressSource source =
        ZooKeeperAddressSource.connect(zookeeperQuorum, zookeeperParent);
    EventLoopGroup group =
        new NioEventLoopGroup(1, new DefaultThreadFactory("lampone-tm-client", true));
    return new TransactionManagerClient(
        config,
        source,
        group.next(),
        SystemClock.INSTANCE,
        () -> {
          stop(group);
          source.close();
        });
  }

  @Override
  public CompletableFuture<Begin> begin() {
    CompletableFuture<Begin> future = new CompletableFuture<>();
    submit(future, deadline -> new Call.Begin(deadline, future));
    return future;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if the start timestamp is not a global one
   */
  @Override
  public CompletableFuture<Validation> validate(Request request) {
    requireGlobal(request.startTimestamp());
    CompletableFuture<Validation> future = new CompletableFuture<>();
    submit(future, deadline -> new Call.Validate(deadline, request, future));
    return future;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if the start timestamp is not a global one
   */
  @Override
  public CompletableFuture<Status> status(long startTimestamp) {
    requireGlobal(startTimestamp);
    CompletableFuture<Status> future = new CompletableFuture<>();
    submit(future, deadline -> new Call.StatusOf(deadline, startTimestamp, future));
    return future;
  }

  /** Fails whatever is under way and stops. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      loop.execute(
          () -> {
            sweeping.cancel(false);
            dispatcher.close();
            drain();
          });
    } catch (RejectedExecutionException e) {
      // The loop was shared and has stopped; nothing runs there any more.
      failArrivals();
    }
    if (loop.inEventLoop()) {
      // Called from something chained to a future: the loop cannot wait for its own end.
      new Thread(release, "lampone-tm-client-stop").start();
    } else {
      release.run();
    }
    failArrivals();
  }

  private void submit(CompletableFuture<?> future, LongFunction<Call> callOfDeadline) {
    if (closed.get()) {
      future.completeExceptionally(closedFailure());
      return;
    }
    if (outstanding.incrementAndGet() > config.maxOutstanding()) {
      outstanding.decrementAndGet();
      future.completeExceptionally(
          new TransactionManagerException(
              Kind.UNAVAILABLE,
              "too many requests under way; ask less at a time, limit=" + config.maxOutstanding()));
      return;
    }
    long deadlineNanos = clock.monotonicNanos() + config.requestTimeout().toNanos();
    arrivals.add(callOfDeadline.apply(deadlineNanos));
    if (awake.compareAndSet(false, true)) {
      try {
        loop.execute(this::drain);
      } catch (RejectedExecutionException e) {
        failArrivals();
      }
    }
    if (closed.get()) {
      // Closed in between: the task may never run. If not closed yet, close() will find the call.
      failArrivals();
    }
  }

  private void drain() {
    awake.set(false);
    for (Call call = arrivals.poll(); call != null; call = arrivals.poll()) {
      dispatcher.add(call);
    }
    dispatcher.pump();
  }

  /** Fails what no event loop will ever look at. */
  private void failArrivals() {
    for (Call call = arrivals.poll(); call != null; call = arrivals.poll()) {
      outstanding.decrementAndGet();
      call.fail(closedFailure());
    }
  }

  private static TransactionManagerException closedFailure() {
    return new TransactionManagerException(
        Kind.CLOSED, "client of the transaction manager is closed");
  }

  private static void requireGlobal(long startTimestamp) {
    if (!Timestamps.isGlobal(startTimestamp)) {
      throw new IllegalArgumentException(
          "not a global timestamp, startTimestamp=" + startTimestamp);
    }
  }

  private static void stop(EventLoopGroup group) {
    group
        .shutdownGracefully(0, STOP_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(STOP_TIMEOUT_MILLIS);
  }
}
