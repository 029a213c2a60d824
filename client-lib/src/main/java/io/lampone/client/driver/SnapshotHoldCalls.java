package io.lampone.client.driver;

import io.lampone.client.core.hold.SnapshotHoldsPort;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.tm.SnapshotHolds;
import io.lampone.protocol.tm.SnapshotHolds.Terms;
import java.time.Duration;

/**
 * Calls of holds, as steps of machines.
 *
 * @param holds the holds
 */
public record SnapshotHoldCalls(SnapshotHolds holds) implements SnapshotHoldsPort {

  @Override
  public Step<Terms> terms() {
    return AsyncRequest.step(holds::terms);
  }

  @Override
  public Step<Terms> hold(String name, long timestamp, Duration lifetime) {
    return AsyncRequest.step(() -> holds.hold(name, timestamp, lifetime));
  }

  @Override
  public Step<Void> renew(String name, Duration lifetime) {
    return AsyncRequest.step(() -> holds.renew(name, lifetime));
  }

  @Override
  public Step<Void> release(String name) {
    return AsyncRequest.step(() -> holds.release(name));
  }
}
