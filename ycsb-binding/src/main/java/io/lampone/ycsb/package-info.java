/** The binding of YCSB to Lampone and, as a baseline, to plain HBase. */
@NullMarked
package io.lampone.ycsb;

import org.jspecify.annotations.NullMarked;
