package io.lampone.client.core.hold;

import io.lampone.client.core.step.Step;
import io.lampone.protocol.tm.SnapshotHolds.Terms;
import java.time.Duration;

/** Port of the client's cores to its holds. */
public interface SnapshotHoldsPort {

  /** See {@link io.lampone.protocol.tm.SnapshotHolds#terms}. */
  Step<Terms> terms();

  /** See {@link io.lampone.protocol.tm.SnapshotHolds#hold}. */
  Step<Terms> hold(String name, long timestamp, Duration lifetime);

  /** See {@link io.lampone.protocol.tm.SnapshotHolds#renew}. */
  Step<Void> renew(String name, Duration lifetime);

  /** See {@link io.lampone.protocol.tm.SnapshotHolds#release}. */
  Step<Void> release(String name);
}
