/** Simulated transaction managers and the connections to them. */
@NullMarked
package io.lampone.simulation.manager;

import org.jspecify.annotations.NullMarked;
