/** The simulated world: time, machines, network, chance and faults. */
@NullMarked
package io.lampone.simulation.world;

import org.jspecify.annotations.NullMarked;
