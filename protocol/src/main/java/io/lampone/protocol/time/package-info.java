/** Time: the only package that reads system clocks, and how long to wait before a repetition. */
@NullMarked
package io.lampone.protocol.time;

import org.jspecify.annotations.NullMarked;
