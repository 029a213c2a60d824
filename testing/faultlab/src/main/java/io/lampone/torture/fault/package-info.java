/** What is done to the cluster: drawn from a seed, carried out, healed. */
@NullMarked
package io.lampone.torture.fault;

import org.jspecify.annotations.NullMarked;
