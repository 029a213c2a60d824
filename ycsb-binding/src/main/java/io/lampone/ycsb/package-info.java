/** YCSB binding of Lampone and, as a baseline, of plain HBase. */
@NullMarked
package io.lampone.ycsb;

import org.jspecify.annotations.NullMarked;
