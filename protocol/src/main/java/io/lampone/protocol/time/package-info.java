/** Time and backoff; the only package that reads system clocks. */
@NullMarked
package io.lampone.protocol.time;

import org.jspecify.annotations.NullMarked;
