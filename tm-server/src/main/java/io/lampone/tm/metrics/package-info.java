/** Metrics of the process, and their export. */
@NullMarked
package io.lampone.tm.metrics;

import org.jspecify.annotations.NullMarked;
