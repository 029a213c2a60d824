package io.lampone.simulation.client;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proof;
import io.lampone.simulation.Cluster;
import io.lampone.simulation.hbase.RegionCalls;
import io.lampone.simulation.hbase.RegionServer;
import io.lampone.simulation.manager.ManagerPort;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.SimulatedMachine;
import java.time.Duration;
import java.util.Optional;

/**
 * A hostile principal with valid proofs, which fills the memories that it shares with others: it
 * requests validation of transactions with many hashes, and queries regions for made-up operations.
 */
public final class Flooder extends SimulatedMachine {

  /** Its name, also as a principal and user. */
  public static final String NAME = "flooder";

  /** A user without requests. */
  private static final String NEWCOMER = "newcomer";

  private static final long SALT = 0x1A5714571A571457L;
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(6);
  private static final int HASHES = 64;
  private static final int MAX_UNDER_WAY = 2;

  private final Cluster cluster;
  private final Chance chance;
  private final RegionCalls calls;
  private final TransactionManager manager;
  private int asked;
  private int underWay;
  private boolean over;

  private Flooder(Cluster cluster, Chance chance) {
    super(cluster.world(), NAME);
    this.cluster = cluster;
    this.chance = chance;
    this.calls = new RegionCalls(this, cluster.network(), cluster.master());
    this.manager =
        new ManagerPort(
            this,
            cluster.network(),
            cluster.coordination(),
            cluster.managers(),
            cluster.validators(),
            cluster.parts());
  }

  /** The one of a run, if it has one; at work from now on. */
  public static Optional<Flooder> of(Cluster cluster, long seed) {
    if (!cluster.parts().plan().flooded()) {
      return Optional.empty();
    }
    Flooder flooder = new Flooder(cluster, new Chance(seed ^ SALT));
    flooder.goOn();
    return Optional.of(flooder);
  }

  /** Ends the flood: there is room for an operation in doubt of any other user. */
  public void end() {
    over = true;
    OperationId id = newOperation();
    for (RegionServer server : cluster.master().servers()) {
      if (!server.regions().stream().allMatch(region -> region.remembers(NEWCOMER, id))) {
        world()
            .violated("RoomForOthers", "no operation in doubt is remembered at " + server.name());
      }
    }
  }

  private void goOn() {
    after(
        chance.nanosUpTo(LONGEST_PAUSE),
        () -> {
          if (!over) {
            fillTables();
            ask();
            goOn();
          }
        });
  }

  private void fillTables() {
    if (underWay == MAX_UNDER_WAY) {
      return;
    }
    underWay++;
    long[] hashes = chance.longs(HASHES).toArray();
    var unused =
        manager
            .begin()
            .thenCompose(
                begin ->
                    manager.validate(
                        new Validator.Request(
                            begin.startTimestamp(), begin.grant(), true, new long[0], hashes)))
            .whenComplete((answer, failure) -> underWay--)
            .exceptionally(refused -> null);
    assert unused != null;
  }

  private void ask() {
    Bytes row = chance.pick(Schema.rows(Schema.mostRows()));
    OperationLookup request =
        new OperationLookup(0, Schema.key(row), newOperation(), 0, Proof.NONE);
    var unused =
        calls
            .<FastReply>persistently(
                row, (served, answer) -> served.fast(calls.user(), request, answer))
            .exceptionally(refused -> null);
    assert unused != null;
  }

  private OperationId newOperation() {
    return new OperationId(SALT, asked++);
  }
}
