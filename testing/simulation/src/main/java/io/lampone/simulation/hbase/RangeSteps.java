package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.protocol.request.CertifyScan;

/** A certification of a range in a region; a mutant leaves something out. */
public class RangeSteps {

  /** Returns what is asked for, as the region takes it. */
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
