package io.lampone.simulation.manager;

import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Coordination;
import io.lampone.simulation.world.SimulatedExecutor;
import io.lampone.simulation.world.SimulatedMachine;
import io.lampone.simulation.world.SimulatedNetwork;
import io.lampone.tmclient.ClientEnvironment;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.time.Duration;
import java.util.List;
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

  private final SimulatedNetwork network;
  private final SimulatedTransport transport;
  private final TransactionManager client;

  /** Client of a manager that the record does not name; {@link #client} without rivals. */
  private final TransactionManager stray;

  public ManagerPort(
      SimulatedMachine owner,
      SimulatedNetwork network,
      Coordination coordination,
      List<SimulatedManager> managers,
      Parts parts) {
    this.network = network;
    this.transport = new SimulatedTransport(owner, network, managers);
    this.client =
        connect(
            transport,
            new SimulatedAddresses(owner, network, coordination, managers, false),
            parts);
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
