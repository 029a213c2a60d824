package io.lampone.tm.core;

import io.lampone.protocol.wire.WireRequest;
import java.util.List;

/** A node that never answers again. */
final class Retired implements Role {

  @Override
  public void tick() {
    // Nothing is due any more.
  }

  @Override
  public BatchOutcome handle(List<WireRequest> batch) {
    return new BatchOutcome.Silent();
  }
}
