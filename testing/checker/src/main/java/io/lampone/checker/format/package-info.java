/** The file format {@code txnhist/1}. */
@NullMarked
package io.lampone.checker.format;

import org.jspecify.annotations.NullMarked;
