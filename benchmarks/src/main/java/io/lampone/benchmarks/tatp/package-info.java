/** TATP: Telecom Application Transaction Processing Benchmark, description 1.0, IBM/Solid 2009. */
@NullMarked
package io.lampone.benchmarks.tatp;

import org.jspecify.annotations.NullMarked;
