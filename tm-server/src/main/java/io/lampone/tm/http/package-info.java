/** Metrics and health of the process over HTTP. */
@NullMarked
package io.lampone.tm.http;

import org.jspecify.annotations.NullMarked;
