/** Figures of the benchmarks of single operations, and how rounds are summed up. */
@NullMarked
package io.lampone.benchmarks.operations.figures;

import org.jspecify.annotations.NullMarked;
