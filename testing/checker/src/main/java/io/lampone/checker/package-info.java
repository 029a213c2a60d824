/**
 * Histories of runs as clients saw them, transaction by transaction: the format, how it is written
 * and read, and a checker that is independent of the product's implementation.
 */
@NullMarked
package io.lampone.checker;

import org.jspecify.annotations.NullMarked;
