package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.protocol.request.CertifyScan;

/** Certification of a range in a region; a mutant omits a step. */
public class RangeSteps {

  /** Returns the request that the region certifies. */
  public CertifyScan request(CertifyScan sent) {
    return sent;
  }

  /** Returns the guards that admit it. */
  public RegionGuards admittedBy(RegionGuards guards) {
    return guards;
  }

  /** Returns true if it points to undecided intents. */
  public boolean points() {
    return true;
  }
}
