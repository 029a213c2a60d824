/** What the process counts, and how it is told. */
@NullMarked
package io.lampone.tm.metrics;

import org.jspecify.annotations.NullMarked;
