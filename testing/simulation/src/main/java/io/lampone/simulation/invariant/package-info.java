/** Invariants that are checked at each event. */
@NullMarked
package io.lampone.simulation.invariant;

import org.jspecify.annotations.NullMarked;
