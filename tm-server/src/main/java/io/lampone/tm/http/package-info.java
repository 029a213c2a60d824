/** Metrics and health of the process, for those who watch it. */
@NullMarked
package io.lampone.tm.http;

import org.jspecify.annotations.NullMarked;
