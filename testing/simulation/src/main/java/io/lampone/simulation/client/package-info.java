/** Simulated clients: honest, slow and hostile ones, over the real client cores. */
@NullMarked
package io.lampone.simulation.client;

import org.jspecify.annotations.NullMarked;
