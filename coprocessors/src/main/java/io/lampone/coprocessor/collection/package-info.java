/** Garbage collection in HBase's flushes and compactions. */
@NullMarked
package io.lampone.coprocessor.collection;

import org.jspecify.annotations.NullMarked;
