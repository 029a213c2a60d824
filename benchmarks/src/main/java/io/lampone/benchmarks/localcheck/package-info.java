/** Centiman's local check, by share of writes: its section 5.4 (paper 003) on Lampone. */
@NullMarked
package io.lampone.benchmarks.localcheck;

import org.jspecify.annotations.NullMarked;
