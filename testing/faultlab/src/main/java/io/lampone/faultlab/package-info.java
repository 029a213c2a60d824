/**
 * The fault lab: a cluster of real processes, clients in separate processes, faults drawn from a
 * seed, and a checker of the clients' view.
 */
@NullMarked
package io.lampone.faultlab;

import org.jspecify.annotations.NullMarked;
