package io.lampone.simulation.client;

import io.lampone.protocol.tm.TransactionManager;
import io.lampone.simulation.manager.PassingManager;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Coordination;
import io.lampone.simulation.world.SimulatedMachine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A client that pauses when all of its intents are in place, before it requests validation. It
 * continues a little after a newer epoch has begun, so that a transaction of that epoch may have
 * met its intents.
 */
final class SlowClient extends PassingManager {

  private static final int HURRIES_ONE_IN = 4;
  private static final Duration LONGEST = Duration.ofMillis(500);
  private static final Duration LONGEST_OVERTIME = Duration.ofMillis(120);
  private static final Duration STEP = Duration.ofMillis(10);

  private final SimulatedMachine client;
  private final Coordination coordination;

  SlowClient(TransactionManager manager, SimulatedMachine client, Coordination coordination) {
    super(manager);
    this.client = client;
    this.coordination = coordination;
  }

  @Override
  public CompletableFuture<Validation> validate(Request request) {
    Chance chance = client.world().chance();
    if (chance.oneIn(HURRIES_ONE_IN)) {
      return super.validate(request);
    }
    CompletableFuture<Void> ready = new CompletableFuture<>();
    long untilNanos = client.world().nowNanos() + chance.nanosUpTo(LONGEST);
    wait(request.startTimestamp(), untilNanos, ready);
    return ready.thenCompose(done -> super.validate(request));
  }

  private void wait(long start, long untilNanos, CompletableFuture<Void> ready) {
    if (isOfOldTime(start)) {
      Chance chance = client.world().chance();
      client.after(chance.nanosUpTo(LONGEST_OVERTIME), () -> ready.complete(null));
    } else if (client.world().nowNanos() >= untilNanos) {
      ready.complete(null);
    } else {
      client.after(STEP, () -> wait(start, untilNanos, ready));
    }
  }

  /** Returns true if a transaction began below the record's floor. */
  private boolean isOfOldTime(long start) {
    return coordination.record().filter(record -> start < record.floor()).isPresent();
  }
}
