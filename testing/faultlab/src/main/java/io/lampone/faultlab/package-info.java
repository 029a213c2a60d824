/**
 * The torture lab: a cluster of real processes, clients in processes of their own, faults drawn
 * from a seed, and a judge of what the clients saw.
 */
@NullMarked
package io.lampone.faultlab;

import org.jspecify.annotations.NullMarked;
