/**
 * Histories of runs as clients saw them, transaction by transaction: the format, how it is written
 * and read, and a judge that knows nothing of how the product works.
 */
@NullMarked
package io.lampone.checker;

import org.jspecify.annotations.NullMarked;
