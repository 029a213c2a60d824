package io.lampone.tmclient;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.wire.Priority;
import io.lampone.tmclient.discovery.AddressSource;
import io.lampone.tmclient.discovery.ZooKeeperAddressSource;
import io.lampone.tmclient.netty.NettyTransport;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A thread-safe client of the transaction manager. Finds the primary, and finds it again after a
 * change; requests under way are repeated meanwhile until their time is up.
 *
 * <ul>
 *   <li>A repeated begin is a new request: a late answer to the old one is dropped, so the caller's
 *       timestamp was issued after its call, and to no other caller.
 *   <li>A repeated validation is marked as such, so that it is never decided twice.
 *   <li>A future that fails with {@link TransactionManagerException} says nothing about the outcome
 *       of a validation.
 * </ul>
 *
 * <p>Futures complete on the client's event loop, or before they are returned. Dependent actions
 * run there and must not block; they may send requests.
 */
public final class TransactionManagerClient implements TransactionManager, AutoCloseable {

  private final TransactionManagerClientConfig config;
  private final Clock clock;
  private final SerialExecutor loop;

  /** Stops what this client has started itself. */
  private final Runnable release;

  private final Dispatcher dispatcher;

  private final ClientCounters counters = new ClientCounters();

  /**
   * Calls handed to the event loop. The thread that adds the first one schedules {@link #drain},
   * which takes all calls present by then.
   */
  private final SubmissionStack submissions = new SubmissionStack();

  private final Runnable drain = this::drain;

  /** A shorter path for threads that wait, when available. */
  private final BlockingTmConnection line;

  private final ValidatorClients validators;

  /** Number of incomplete calls; bounds their memory. */
  private final AtomicInteger outstanding = new AtomicInteger();

  private final AtomicBoolean closed = new AtomicBoolean();

  private final Prioritized normal = new Prioritized(Priority.DEFAULT);

  private TransactionManagerClient(
      TransactionManagerClientConfig config,
      AddressSource source,
      ClientEnvironment environment,
      Runnable release) {
    this.config = config;
    this.line = new BlockingTmConnection(config, environment.clock());
    this.clock = environment.clock();
    this.loop = environment.loop();
    this.release = release;
    this.validators = new ValidatorClients(config, environment);
    this.dispatcher = new Dispatcher(config, source, environment, counters, new AllCallers());
    dispatcher.scheduleSweep();
  }

  /** Creates a client in an environment that remains the caller's, as does the source. */
  public static TransactionManagerClient create(
      TransactionManagerClientConfig config, AddressSource source, ClientEnvironment environment) {
    return new TransactionManagerClient(config, source, environment, () -> {});
  }

  /**
   * Creates a client with a dedicated thread. Connects at the first request.
   *
   * @param source finds the primary; remains the caller's
   * @throws IllegalArgumentException if a configured file does not have the expected content
   */
  public static TransactionManagerClient create(
      TransactionManagerClientConfig config, AddressSource source) {
    return onOwnThread(config, source, () -> {});
  }

  /** Creates a client on an event loop that remains the caller's, as does the source. */
  public static TransactionManagerClient create(
      TransactionManagerClientConfig config, AddressSource source, EventLoop loop) {
    return create(config, source, ClientEnvironment.on(loop, config));
  }

  /** Creates a client that finds the primary through ZooKeeper, with dedicated threads. */
  public static TransactionManagerClient connect(
      TransactionManagerClientConfig config, String zookeeperQuorum, String zookeeperParent) {
    ZooKeeperAddressSource source =
        ZooKeeperAddressSource.connect(zookeeperQuorum, zookeeperParent);
    try {
      return onOwnThread(config, source, source::close);
    } catch (RuntimeException e) {
      source.close();
      throw e;
    }
  }

  private static TransactionManagerClient onOwnThread(
      TransactionManagerClientConfig config, AddressSource source, Runnable afterwards) {
    EventLoopGroup group = NettyTransport.group();
    Runnable release = () -> NettyTransport.stop(group, afterwards);
    try {
      return new TransactionManagerClient(
          config, source, ClientEnvironment.on(group.next(), config), release);
    } catch (RuntimeException e) {
      NettyTransport.stop(group);
      throw e;
    }
  }

  @Override
  public TransactionManager withPriority(Priority priority) {
    return new Prioritized(priority);
  }

  @Override
  public CompletableFuture<Begin> begin() {
    return normal.begin();
  }

  @Override
  public CompletableFuture<Begin> beginHere(long deadlineNanos) {
    return normal.beginHere(deadlineNanos);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if the start timestamp is not a global one
   */
  @Override
  public CompletableFuture<Validation> validate(Request request) {
    return normal.validate(request);
  }

  @Override
  public CompletableFuture<Validation> validateHere(Request request, long deadlineNanos) {
    return normal.validateHere(request, deadlineNanos);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if the start timestamp is not a global one
   */
  @Override
  public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
    return normal.status(startTimestamp, snapshot);
  }

  @Override
  public CompletableFuture<StartBlock> progress(ProgressReport report) {
    return submit(new Call.Progress(clock.monotonicNanos(), report));
  }

  @Override
  public CompletableFuture<BucketMap> buckets() {
    return validators.map(() -> submit(new Call.Owners(clock.monotonicNanos())));
  }

  @Override
  public CompletableFuture<Validation> vote(BucketMap.Node at, Vote vote) {
    return normal.vote(at, vote);
  }

  @Override
  public Optional<Supplier<CompletableFuture<Validation>>> postVote(
      BucketMap.Node at, Vote vote, long deadlineNanos) {
    return normal.postVote(at, vote, deadlineNanos);
  }

  private CompletableFuture<Validation> cast(Vote vote, Priority priority) {
    return submit(new Call.Vote(clock.monotonicNanos(), priority, vote));
  }

  /** Posts the request from a thread that waits. */
  private Optional<Supplier<CompletableFuture<Validation>>> castHere(
      Vote vote, Priority priority, long untilNanos) {
    if (!isAlone()) {
      return Optional.empty();
    }
    return line.vote(vote, priority, untilNanos)
        .map(
            reply ->
                () -> {
                  Optional<Validation> answer = reply.get().answer();
                  return answer
                      .map(CompletableFuture::completedFuture)
                      .orElseGet(() -> cast(vote, priority));
                });
  }

  @Override
  public CompletableFuture<Validation> reserve(
      Optional<BucketMap.Node> at, Request request, boolean release) {
    return at.map(validators::at)
        .orElse(this)
        .submit(new Call.Reserve(clock.monotonicNanos(), request, release));
  }

  /** Returns the statistics of this client since its creation. */
  public ClientStatistics statistics() {
    return counters.published().plus(line.statistics());
  }

  /** Returns true if no other request waits; several requests share a frame instead. */
  private boolean isAlone() {
    return outstanding.get() == 0 && !closed.get();
  }

  /** Fails all calls and stops. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      loop.execute(
          () -> {
            dispatcher.close();
            drain();
          });
    } catch (RejectedExecutionException e) {
      // The loop was shared and has stopped; no task runs there any more.
      failArrivals();
    }
    line.close();
    validators.close();
    release.run();
    failArrivals();
  }

  private <T> CompletableFuture<T> submit(Call<T> call) {
    if (closed.get()) {
      call.completeExceptionally(closedFailure());
      return call;
    }
    if (outstanding.incrementAndGet() > config.maxOutstanding()) {
      outstanding.decrementAndGet();
      call.completeExceptionally(
          new TransactionManagerException(
              Kind.UNAVAILABLE,
              "too many requests under way; ask less at a time, limit=" + config.maxOutstanding()));
      return call;
    }
    if (submissions.add(call)) {
      try {
        loop.execute(drain);
      } catch (RejectedExecutionException e) {
        failArrivals();
      }
    }
    if (closed.get()) {
      // Closed meanwhile: the task may never run. If not closed yet, close() will find the call.
      failArrivals();
    }
    return call;
  }

  private void drain() {
    takeArrivals();
    dispatcher.pump();
  }

  private void takeArrivals() {
    for (Call<?> call = submissions.takeAll(); call != null; ) {
      Call<?> after = call.next;
      call.next = null;
      dispatcher.add(call);
      call = after;
    }
  }

  /** Fails calls that no event loop will process. */
  private void failArrivals() {
    for (Call<?> call = submissions.takeAll(); call != null; call = call.next) {
      outstanding.decrementAndGet();
      call.completeExceptionally(closedFailure());
    }
  }

  private static TransactionManagerException closedFailure() {
    return new TransactionManagerException(
        Kind.CLOSED, "client of the transaction manager is closed");
  }

  private final class AllCallers implements Dispatcher.Callers {

    @Override
    public void done() {
      outstanding.decrementAndGet();
    }

    /** The task that {@link #submit} has scheduled for these calls will find none. */
    @Override
    public void bring() {
      takeArrivals();
    }

    @Override
    public void served(Optional<InetSocketAddress> primary) {
      line.moveTo(primary);
    }
  }

  /** This client with another priority. */
  private final class Prioritized implements TransactionManager {

    private final Priority priority;

    Prioritized(Priority priority) {
      this.priority = priority;
    }

    @Override
    public TransactionManager withPriority(Priority other) {
      return new Prioritized(other);
    }

    @Override
    public CompletableFuture<Begin> begin() {
      return submit(new Call.Begin(clock.monotonicNanos(), priority));
    }

    @Override
    public CompletableFuture<Begin> beginHere(long deadlineNanos) {
      Optional<Begin> answered = isAlone() ? line.begin(priority, deadlineNanos) : Optional.empty();
      return answered.isPresent() ? CompletableFuture.completedFuture(answered.get()) : begin();
    }

    @Override
    public CompletableFuture<StartBlock> progress(ProgressReport report) {
      return TransactionManagerClient.this.progress(report);
    }

    @Override
    public CompletableFuture<Validation> validate(Request request) {
      return submit(new Call.Validate(clock.monotonicNanos(), priority, request));
    }

    @Override
    public CompletableFuture<Validation> validateHere(Request request, long deadlineNanos) {
      if (!isAlone()) {
        return validate(request);
      }
      BlockingTmConnection.Attempt<Validation> end =
          line.validate(request, priority, deadlineNanos);
      return end.answer().isPresent()
          ? CompletableFuture.completedFuture(end.answer().get())
          : validate(end.mayHaveBeenExecuted() ? request.repeated() : request);
    }

    @Override
    public CompletableFuture<BucketMap> buckets() {
      return TransactionManagerClient.this.buckets();
    }

    @Override
    public CompletableFuture<Validation> vote(BucketMap.Node at, Vote vote) {
      return validators.at(at).cast(vote, priority);
    }

    @Override
    public Optional<Supplier<CompletableFuture<Validation>>> postVote(
        BucketMap.Node at, Vote vote, long deadlineNanos) {
      return validators.at(at).castHere(vote, priority, deadlineNanos);
    }

    @Override
    public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
      return submit(new Call.StatusOf(clock.monotonicNanos(), priority, startTimestamp, snapshot));
    }
  }
}
