/** Reads and scans at a snapshot, and reads of the fast path. */
@NullMarked
package io.lampone.client.hbase.read;

import org.jspecify.annotations.NullMarked;
