package io.lampone.tm.core;

import io.lampone.tm.core.status.NodeMetrics;

/** A node that never answers again. */
final class Retired implements NodeRole {

  @Override
  public NodeMetrics.Name name() {
    return NodeMetrics.Name.RETIRED;
  }

  @Override
  public void release() {
    // Nothing is held.
  }
}
