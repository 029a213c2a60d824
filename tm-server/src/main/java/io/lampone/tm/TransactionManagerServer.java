package io.lampone.tm;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.Member;
import io.lampone.protocol.wire.GoAway;
import io.lampone.tm.command.Commands;
import io.lampone.tm.command.HandOverCommands;
import io.lampone.tm.command.HoldCommands;
import io.lampone.tm.command.InspectionCommands;
import io.lampone.tm.command.StatusCommands;
import io.lampone.tm.command.TokenCommands;
import io.lampone.tm.command.TransactionCommands;
import io.lampone.tm.command.ValidatorCommands;
import io.lampone.tm.core.DressRehearsal;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.ManagerSettings;
import io.lampone.tm.core.Members;
import io.lampone.tm.core.NodeListener;
import io.lampone.tm.core.RecordStore;
import io.lampone.tm.core.Validators;
import io.lampone.tm.core.transfer.TransferResult;
import io.lampone.tm.core.validation.Sharding;
import io.lampone.tm.core.validation.ValidatorIdentity;
import io.lampone.tm.net.EventLoopTransport;
import io.lampone.tm.net.ListenerRehearsal;
import io.lampone.tm.net.PeerCredential;
import io.lampone.tm.net.Policies;
import io.lampone.tm.net.TmServerChannel;
import io.lampone.tm.net.TransferLinks;
import io.lampone.tm.security.Security;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transaction manager server, primary or backup.
 *
 * <p>It listens before it takes part in the election, so that its address is not published before
 * it is reachable. All its decisions are made on one event loop.
 */
public final class TransactionManagerServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TransactionManagerServer.class);

  /** Time limit for giving back the lease; afterwards the lease expires. */
  private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(3);

  /** Time limit for the hand-over of a stopped primary; afterwards it gives back the lease. */
  private static final Duration HAND_OVER_TIMEOUT = Duration.ofSeconds(10);

  /** Time for clients to receive a goodbye before their connections are closed. */
  private static final Duration LINGER = Duration.ofMillis(300);

  /** Interval at which this process renews its registration as a member. */
  private static final Duration MEMBERS_INTERVAL = Duration.ofSeconds(3);

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  private final EventLoopGroup loop;
  private final TmServerChannel listener;
  private final Counter tampered;
  private final ManagerNode node;
  private final NodeSnapshot watch;
  private final String address;
  private final ServerEnvironment environment;
  private final Membership membership;
  private final HandOverCommands handOvers;
  private final Optional<Validators> validators;
  private final FileWatcher files;
  private final CompletableFuture<Long> primary = new CompletableFuture<>();
  private final CompletableFuture<NodeListener.Retirement> retired = new CompletableFuture<>();

  /** True once this server is being stopped. */
  private final AtomicBoolean stopped = new AtomicBoolean();

  private TransactionManagerServer(
      TransactionManagerConfig config,
      MetricRegistry metrics,
      ServerEnvironment environment,
      Clock clock)
      throws IOException {
    this.environment = environment;
    if (!DressRehearsal.run(clock)) {
      LOG.info("the rehearsal was cut short: the first moments as primary may be slow");
    }
    EventLoopTransport transport = EventLoopTransport.best();
    this.loop = transport.start("lampone-tm", config.eventLoopBusyPoll());
    try {
      if (!ListenerRehearsal.run(transport, loop, clock)) {
        LOG.info("the rehearsal of the network was cut short: the first answers may be slow");
      }
      this.files = new FileWatcher(config, clock);
      String host = config.exposure().host(config.bindHost(), config.security());
      InetSocketAddress bind = new InetSocketAddress(host, config.bindPort());
      Policies policies =
          new Policies(config.limits(), config.admission(), files.quotas(), security());
      this.listener = new TmServerChannel(transport, loop, bind, policies, metrics, clock);
      this.address = Exposure.advertised(config.advertisedHost(), host, listener.address());
    } catch (IOException | RuntimeException e) {
      stop(loop);
      throw e;
    }
    this.tampered = metrics.counter("lampone.tm.record.tampered");
    ManagerSettings settings = settings(config);
    String validator = config.sharding().name();
    this.node =
        new ManagerNode(
            Optional.of(validator).filter(name -> !name.isEmpty()).map(ValidatorIdentity::random),
            settings,
            environment.store(),
            clock,
            loop,
            new Roles());
    metrics.gauge("lampone.tm.clock.ahead.millis", () -> (Gauge<Long>) node.trust()::steppedMillis);
    boolean comparesClock = validator.isEmpty() && environment.comparesClock();
    node.trust().demand(comparesClock ? config.clockAheadLimit() : Duration.ZERO);
    String holder = validator.isEmpty() ? settings.holder() : validator + "/" + UUID.randomUUID();
    Member me = Membership.member(holder, address, clock);
    this.watch = new NodeSnapshot(clock, config.leaseDuration(), node.vitals());
    new NodeGauges(metrics, watch, clock).register(config, listener, files);
    TransferLinks links = new TransferLinks(transport, loop, () -> PeerCredential.of(security()));
    this.handOvers = new HandOverCommands(node, environment.members(), links, loop);
    Members registry = validator.isEmpty() ? environment.members() : environment.validators();
    this.membership =
        new Membership(node, registry, me, handOvers, loop, clock, config.clockAheadLimit());
    this.validators = validators(config, links, clock);
    NodeTicks ticks = new NodeTicks(config, metrics, node, listener, validators, watch);
    metrics.gauge(
        "lampone.tm.clock.ahead.of.others.millis",
        () -> (Gauge<Long>) membership::clockAheadMillis);
    Commands commands = commands(clock);
    loop.execute(() -> listener.serve(node, commands));
    BooleanSupplier trusted = () -> validator.isEmpty() && node.trust().isRight();
    security().tokens().start(environment.tokens(), loop, trusted, listener::reviewGuests);
    ticks.start(loop, config.leaseRenewInterval());
    if (config.exposure().admitsStrangers(config.security())) {
      loop.scheduleAtFixedRate(Exposure::warn, 0, 1, TimeUnit.HOURS);
    }
    loop.scheduleAtFixedRate(this::join, 0, MEMBERS_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    files.start(listener, loop);
  }

  /**
   * Starts a transaction manager on ZooKeeper; returns once it listens, see {@link #whenPrimary}.
   *
   * @throws IOException if it cannot listen, or a file in the configuration cannot be read
   * @throws IllegalArgumentException if such a file does not have the expected content
   */
  public static TransactionManagerServer start(
      TransactionManagerConfig config, MetricRegistry metrics) throws IOException {
    return start(config, metrics, SystemClock.INSTANCE);
  }

  /** Starts a transaction manager on another clock. */
  static TransactionManagerServer start(
      TransactionManagerConfig config, MetricRegistry metrics, Clock clock) throws IOException {
    ServerEnvironment environment = ServerEnvironment.zooKeeper(config, metrics);
    try {
      return new TransactionManagerServer(config, metrics, environment, clock);
    } catch (IOException | RuntimeException e) {
      environment.close();
      throw e;
    }
  }

  /**
   * Starts a transaction manager on another store and clock. The store remains the caller's.
   *
   * @throws IOException if it cannot listen, or a file in the configuration cannot be read
   * @throws IllegalArgumentException if such a file does not have the expected content
   */
  public static TransactionManagerServer start(
      TransactionManagerConfig config, MetricRegistry metrics, RecordStore store, Clock clock)
      throws IOException {
    return new TransactionManagerServer(config, metrics, ServerEnvironment.of(store), clock);
  }

  /** Returns the address announced to clients, {@code host:port}. */
  public String address() {
    return address;
  }

  /** Returns the port on which it listens. */
  public int port() {
    return listener.address().getPort();
  }

  /** Completes with the epoch once this server is the primary. */
  public CompletableFuture<Long> whenPrimary() {
    return primary.copy();
  }

  /** Completes once this server is registered as a member and can receive a hand-over. */
  public CompletableFuture<Void> whenListed() {
    return membership.whenListed();
  }

  /** Completes with the reason once this server will never answer again. */
  public CompletableFuture<NodeListener.Retirement> whenRetired() {
    return retired.copy();
  }

  Security security() {
    return files.security();
  }

  /** Returns the snapshot of the node for other threads. */
  NodeSnapshot watch() {
    return watch;
  }

  /** Returns true if this server is the primary, as far as it knows. */
  public boolean isPrimary() {
    return primary.isDone() && !retired.isDone();
  }

  /**
   * Raises the safe point: refuses undecided transactions below it, publishes it, and completes
   * with the safe point in force. Fails if this server is not the primary or {@code timestamp} has
   * not been issued.
   */
  public CompletableFuture<Long> advanceSafePoint(long timestamp) {
    return onLoop(() -> node.advanceSafePoint(timestamp));
  }

  /**
   * Hands over to a backup with the complete state. Completes when the backup leads, or fails with
   * the reason why this server continues.
   *
   * @param successor the address of the backup; empty for the first that is ready
   */
  public CompletableFuture<TransferResult> handOver(Optional<String> successor) {
    return onLoop(() -> handOvers.handOver(successor));
  }

  private <T> CompletableFuture<T> onLoop(Supplier<CompletableFuture<T>> action) {
    return CompletableFuture.supplyAsync(action, loop).thenCompose(begun -> begun);
  }

  /**
   * Stops. A primary hands over, or completes a hand-over under way, if a backup accepts in time;
   * otherwise it stops answering and gives back the lease, so that a backup need not wait.
   */
  @Override
  public void close() {
    if (!stopped.compareAndSet(false, true)) {
      return;
    }
    if (isPrimary()) {
      await(onLoop(handOvers::handOverOrWait), HAND_OVER_TIMEOUT)
          .ifPresent(cause -> LOG.info("not handed over before the stop, cause={}", cause));
    }
    loop.execute(node::release);
    // In vain, the lease expires by itself; backups wait for that.
    await(retired, RELEASE_TIMEOUT);
    shutDown();
  }

  /** Waits at most so long; returns the cause if it was in vain, except for an interrupt. */
  private static Optional<String> await(CompletableFuture<?> end, Duration limit) {
    try {
      end.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      return Optional.of(e.toString());
    }
    return Optional.empty();
  }

  /** Stops at once like a crash: does not give back the lease. */
  public void kill() {
    if (stopped.compareAndSet(false, true)) {
      shutDown();
    }
  }

  private ManagerSettings settings(TransactionManagerConfig config) {
    return new ManagerSettings(
        address + "/" + UUID.randomUUID(),
        address,
        config.leaseDuration(),
        config.leaseRenewInterval(),
        config.timestampsAhead(),
        config.conflictTableCapacity(),
        config.decisionMemoryCapacity(),
        ManagerSettings.DEFAULT_TRANSFER_CHUNK,
        config.retention(),
        security().proofs());
  }

  private Optional<Validators> validators(
      TransactionManagerConfig config, TransferLinks links, Clock clock) {
    Sharding sharding = config.sharding();
    return sharding.name().isEmpty()
        ? Optional.of(
            new Validators(
                node, environment.validators(), links, loop, clock, security().proofs(), sharding))
        : Optional.empty();
  }

  private Commands commands(Clock clock) {
    Commands commands = new Commands();
    handOvers.addTo(commands);
    new HoldCommands(node).addTo(commands);
    validators.ifPresent(each -> new ValidatorCommands(each, listener.clients()).addTo(commands));
    new TokenCommands(security().tokens()).addTo(commands);
    new TransactionCommands(listener.clients()).addTo(commands);
    new InspectionCommands(security().proofs(), clock).addTo(commands);
    new StatusCommands(
            node,
            environment.members(),
            listener::connections,
            listener::traffic,
            listener::tenants,
            listener.clients(),
            loop)
        .addTo(commands);
    return commands;
  }

  private void shutDown() {
    files.close();
    listener.close();
    stop(loop);
    environment.close();
  }

  private static void stop(EventLoopGroup loop) {
    Future<?> stopped = loop.shutdownGracefully(0, STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    stopped.awaitUninterruptibly(STOP_TIMEOUT.toMillis());
  }

  private final class Roles implements NodeListener {

    @Override
    public void becamePrimary(long epoch) {
      primary.complete(epoch);
    }

    @Override
    public void sealed() {
      listener.pause();
    }

    @Override
    public void unsealed() {
      listener.resume();
    }

    @Override
    public void handedOver(String successor) {
      listener.leave(new GoAway(GoAway.Reason.HANDED_OVER, successor));
    }

    @Override
    public void recordTampered() {
      tampered.inc();
    }

    @Override
    public void retired(Retirement retirement) {
      membership.leave();
      if (retirement == Retirement.HANDED_OVER) {
        loop.schedule(() -> end(retirement), LINGER.toMillis(), TimeUnit.MILLISECONDS);
      } else {
        end(retirement);
      }
    }

    private void end(Retirement retirement) {
      listener.close();
      retired.complete(retirement);
    }
  }

  private void join() {
    if (!node.status().role().equals("retired")) {
      environment.repair().run();
      membership.join();
    }
  }
}
