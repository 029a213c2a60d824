/**
 * Deterministic simulation: the protocol's own code of client, transaction manager and region
 * server over a simulated network, store, record and time, in one thread, driven by one seed.
 */
@NullMarked
package io.lampone.simulation;

import org.jspecify.annotations.NullMarked;
