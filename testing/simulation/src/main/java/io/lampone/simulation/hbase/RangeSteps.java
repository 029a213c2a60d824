package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.CertifyScan;
import java.util.List;

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

  /** Returns the rows, of all that are certified, whose writes it waits for. */
  public List<Bytes> awaited(List<Bytes> rows) {
    return rows;
  }

  /** Returns true if it points to undecided intents. */
  public boolean points() {
    return true;
  }

  /** Returns true if it checks, when it has looked, that what was seen is all there is. */
  public boolean confirms() {
    return true;
  }
}
