/** Output formats that all benchmarks share. */
@NullMarked
package io.lampone.benchmarks.report;

import org.jspecify.annotations.NullMarked;
