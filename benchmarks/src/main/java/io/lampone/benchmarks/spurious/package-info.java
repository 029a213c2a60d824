/** Aborts without need, by rule of validation: a model of Centiman's section 5.2 (paper 003). */
@NullMarked
package io.lampone.benchmarks.spurious;

import org.jspecify.annotations.NullMarked;
