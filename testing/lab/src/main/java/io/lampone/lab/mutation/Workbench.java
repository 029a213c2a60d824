package io.lampone.lab.mutation;

import java.io.IOException;
import java.time.Duration;

/** Working copy of the product in which bugs are planted and layers of tests run. */
interface Workbench {

  /**
   * Plants a bug and builds the changed parts.
   *
   * @throws PatchFailedException if the patch does not apply, or the product does not compile: then
   *     the product is without the bug
   */
  void plant(PlantedBug bug) throws IOException, InterruptedException;

  /** Restores the product as it was before {@link #plant}. */
  void restore() throws IOException, InterruptedException;

  /**
   * Runs a layer on the current product.
   *
   * @param bug the planted one; if none is planted, one of the scope to be run
   * @param limit after which the run is ended
   * @throws PatchFailedException if the layer produced no usable result
   */
  Finding run(MutationLayer layer, PlantedBug bug, Duration limit)
      throws IOException, InterruptedException;

  /** Returns the effort of a run: seeds of the simulator, seconds of the lab, 1 for tests. */
  long effort(MutationLayer layer);

  /**
   * Result of a run.
   *
   * @param found true if a check failed
   * @param isOver true if the run was ended by its limit
   * @param seconds from the start of the run to its end
   * @param by the test, invariant or anomaly; empty if none failed
   */
  record Finding(boolean found, boolean isOver, double seconds, String by) {}
}
