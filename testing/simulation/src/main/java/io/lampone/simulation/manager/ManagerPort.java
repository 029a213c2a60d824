package io.lampone.simulation.manager;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Coordination;
import io.lampone.simulation.world.SimulatedExecutor;
import io.lampone.simulation.world.SimulatedMachine;
import io.lampone.simulation.world.SimulatedNetwork;
import io.lampone.tmclient.ClientEnvironment;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.PrimaryAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Access of a machine to the transaction manager: the real client over simulated connections. The
 * simulator decides which primary it discovers, and when it loses a connection.
 */
public final class ManagerPort implements TransactionManager {

  private static final TransactionManagerClientConfig CONFIG =
      TransactionManagerClientConfig.builder()
          .requestTimeout(Duration.ofSeconds(3))
          .connectTimeout(Duration.ofMillis(60))
          .stallTimeout(Duration.ofMillis(120))
          .maxBatchesInFlight(2)
          .backoffCap(Duration.ofMillis(80))
          .build();

  /** Timeout of a request for the map of validators. */
  private static final Duration MAP_TIMEOUT = Duration.ofMillis(300);

  private final SimulatedMachine owner;
  private final SimulatedNetwork network;
  private final List<SimulatedManager> managers;
  private final SimulatedAddresses addresses;
  private final SimulatedTransport transport;
  private final TransactionManager client;

  /** Client of a manager that the record does not name; {@link #client} without rivals. */
  private final TransactionManager stray;

  public ManagerPort(
      SimulatedMachine owner,
      SimulatedNetwork network,
      Coordination coordination,
      List<SimulatedManager> managers,
      SimulatedValidators validators,
      Parts parts) {
    this.owner = owner;
    this.network = network;
    this.managers = managers;
    List<SimulatedManager> servers = new ArrayList<>(managers);
    servers.addAll(validators.processes());
    this.transport = new SimulatedTransport(owner, network, servers);
    this.addresses = new SimulatedAddresses(owner, network, coordination, managers, false);
    this.client = connect(transport, addresses, parts);
    this.stray =
        parts.plan().focus().hasRivals()
            ? connect(
                new SimulatedTransport(owner, network, managers),
                new SimulatedAddresses(owner, network, coordination, managers, true),
                parts)
            : client;
  }

  private static TransactionManager connect(
      SimulatedTransport transport, SimulatedAddresses addresses, Parts parts) {
    SimulatedMachine owner = transport.owner();
    return TransactionManagerClient.create(
        CONFIG,
        addresses,
        new ClientEnvironment(
            new SimulatedExecutor(owner),
            parts.transport(transport),
            owner.clock(),
            owner.world().chance()));
  }

  @Override
  public CompletableFuture<Begin> begin() {
    return client.begin();
  }

  @Override
  public CompletableFuture<Validation> validate(Request request) {
    return client.validate(request);
  }

  /** Sends the command of the real client, which is not simulated. */
  @Override
  public CompletableFuture<BucketMap> buckets() {
    CompletableFuture<BucketMap> answer = new CompletableFuture<>();
    addresses
        .find()
        .whenComplete(
            (found, failure) -> {
              if (failure == null) {
                found.flatMap(this::managerAt).ifPresent(manager -> ask(manager, answer));
              }
            });
    owner.after(MAP_TIMEOUT, () -> answer.completeExceptionally(unavailable("no answer in time")));
    return answer;
  }

  private Optional<SimulatedManager> managerAt(PrimaryAddress address) {
    return managers.stream()
        .filter(manager -> manager.name().equals(address.address().getHostString()))
        .findFirst();
  }

  /** A client that dies meanwhile does not receive the answer, even if it runs again. */
  private void ask(SimulatedManager manager, CompletableFuture<BucketMap> answer) {
    int asking = owner.incarnation();
    network.send(
        manager,
        () -> {
          Runnable reply = replyOf(manager, answer);
          network.send(
              owner,
              () -> {
                if (owner.incarnation() == asking) {
                  reply.run();
                }
              });
        });
  }

  private static Runnable replyOf(SimulatedManager manager, CompletableFuture<BucketMap> answer) {
    try {
      String text = manager.validators().map().encode();
      return () -> answer.complete(BucketMap.decode(text));
    } catch (IllegalStateException e) {
      return () -> answer.completeExceptionally(unavailable("not the primary"));
    }
  }

  private static TransactionManagerException unavailable(String problem) {
    return new TransactionManagerException(
        TransactionManagerException.Kind.UNAVAILABLE, "no map of the validators: " + problem);
  }

  @Override
  public CompletableFuture<Validation> vote(BucketMap.Node at, Vote vote) {
    return client.vote(at, vote);
  }

  @Override
  public CompletableFuture<Validation> reserve(
      Optional<BucketMap.Node> at, Request request, boolean release) {
    return client.reserve(at, request, release);
  }

  @Override
  public CompletableFuture<StartBlock> progress(ProgressReport report) {
    return client.progress(report);
  }

  @Override
  public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
    return (network.strays() ? stray : client).status(startTimestamp, snapshot);
  }

  /** The epoch of the primary that answers at the moment. */
  public long epoch() {
    return transport.epoch();
  }

  /** Ends the connection: the next request discovers the primary again. */
  public void disconnect() {
    transport.disconnect();
  }
}
