/** Machines that decide and do nothing: each gives the next step, and a driver carries it out. */
@NullMarked
package io.lampone.client.core.step;

import org.jspecify.annotations.NullMarked;
