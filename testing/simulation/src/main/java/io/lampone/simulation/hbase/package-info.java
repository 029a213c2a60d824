/** A simulated HBase that runs the real rules of the coprocessors. */
@NullMarked
package io.lampone.simulation.hbase;

import org.jspecify.annotations.NullMarked;
