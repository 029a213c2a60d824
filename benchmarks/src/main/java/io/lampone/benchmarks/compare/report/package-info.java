/** Results of a comparison of systems: figures, ratios with their spread, files and charts. */
@NullMarked
package io.lampone.benchmarks.compare.report;

import org.jspecify.annotations.NullMarked;
