package io.lampone.lab.mutation;

import java.io.IOException;
import java.time.Duration;

/** Working copy of the product in which bugs are planted and layers of tests run. */
interface Workbench {

  /**
   * Plants a bug and builds what has changed.
   *
   * @throws PatchFailedException if the patch does not apply, or the product does not compile: then
   *     the product is without the bug
   */
  void plant(PlantedBug bug) throws IOException, InterruptedException;

  /** Makes the product what it was before {@link #plant}. */
  void restore() throws IOException, InterruptedException;

  /**
   * Runs a layer on the product as it is.
   *
   * @param bug the planted one; if none is planted, one of the scope that is to be run
   * @param limit after which the run is ended
   * @throws PatchFailedException if the layer cannot say whether something failed
   */
  Finding run(MutationLayer layer, PlantedBug bug, Duration limit)
      throws IOException, InterruptedException;

  /** Returns what {@link #run} tries: seeds of the simulator, seconds of the lab, 1 for tests. */
  long effort(MutationLayer layer);

  /**
   * Result of a run.
   *
   * @param found whether something failed
   * @param isOver whether the run was ended by its limit
   * @param seconds from the start of the run to its end
   * @param by the test, invariant or anomaly; empty if nothing failed
   */
  record Finding(boolean found, boolean isOver, double seconds, String by) {}
}
