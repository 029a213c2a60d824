/** Planted mistakes, and the search for them. */
@NullMarked
package io.lampone.simulation.mutant;

import org.jspecify.annotations.NullMarked;
