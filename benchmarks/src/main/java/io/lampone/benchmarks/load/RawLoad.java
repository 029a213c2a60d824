package io.lampone.benchmarks.load;

import io.lampone.benchmarks.load.LoadPlan.Phase;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Load by bare frames: one thread for each connection, and a few outstanding frames on each
 * connection, each with the requests of many clients. It has no library, futures or deadlines, so
 * that it measures the transaction manager. Only without TLS and secrets, and only at the pace of
 * the replies.
 */
public final class RawLoad implements Load {

  private final Clock clock;
  private final PhaseCounts total = new PhaseCounts();
  private final List<RawConnection> connections = new ArrayList<>();
  private long resetNanos;

  /**
   * Connects.
   *
   * @throws IOException if that fails, or the server does not welcome the client
   */
  public RawLoad(LoadPlan plan, InetSocketAddress address, Clock clock) throws IOException {
    this(plan, address, clock, RawTarget.PRIMARY);
  }

  /**
   * Connects.
   *
   * @param target the process at this address; for votes the plan must have one connection
   */
  public RawLoad(LoadPlan plan, InetSocketAddress address, Clock clock, RawTarget target)
      throws IOException {
    this.clock = clock;
    this.resetNanos = clock.monotonicNanos();
    TransactionPool pool = new TransactionPool(plan);
    int clientsPerFrame =
        Math.max(1, plan.outstanding() / plan.connections() / RawConnection.FRAMES);
    try {
      for (int i = 0; i < plan.connections(); i++) {
        connections.add(new RawConnection(address, pool, clientsPerFrame, i, clock, target));
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  @Override
  public void start(Phase phase) {
    connections.forEach(connection -> connection.start(phase));
  }

  @Override
  public void reset() throws InterruptedException {
    for (RawConnection connection : connections) {
      connection.reset();
    }
    resetNanos = clock.monotonicNanos();
  }

  @Override
  public PhaseFigures stop() throws IOException, InterruptedException {
    long nanos = clock.monotonicNanos() - resetNanos;
    total.reset();
    for (RawConnection connection : connections) {
      total.add(connection.stop());
    }
    return total.figures(nanos);
  }

  @Override
  public double roundTripsWaited() {
    return 0;
  }

  @Override
  public void close() {
    connections.forEach(RawConnection::close);
  }
}
