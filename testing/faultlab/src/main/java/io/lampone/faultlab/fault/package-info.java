/** What is done to the cluster: drawn from a seed, carried out, healed. */
@NullMarked
package io.lampone.faultlab.fault;

import org.jspecify.annotations.NullMarked;
