/**
 * Comparisons of Lampone with native operations of the same HBase, in many short alternating
 * slices.
 */
@NullMarked
package io.lampone.benchmarks.operations;

import org.jspecify.annotations.NullMarked;
