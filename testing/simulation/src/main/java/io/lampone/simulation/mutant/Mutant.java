package io.lampone.simulation.mutant;

import io.lampone.simulation.Simulation;

/**
 * A planted mistake, and the trap that it stands for. It is planted at a seam between the
 * protocol's code and the simulated world; the code itself knows nothing of it.
 *
 * @param name of the mistake
 * @param trap as in the list of traps
 * @param seams with the mistake in one of them
 */
public record Mutant(String name, String trap, Simulation.Seams seams) {

  @Override
  public String toString() {
    return name;
  }
}
