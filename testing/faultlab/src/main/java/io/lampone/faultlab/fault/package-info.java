/** Faults of the cluster: drawn from a seed, injected, healed. */
@NullMarked
package io.lampone.faultlab.fault;

import org.jspecify.annotations.NullMarked;
