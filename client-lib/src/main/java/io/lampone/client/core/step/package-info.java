/** Machines that decide without I/O: each returns the next step, and a driver executes it. */
@NullMarked
package io.lampone.client.core.step;

import org.jspecify.annotations.NullMarked;
