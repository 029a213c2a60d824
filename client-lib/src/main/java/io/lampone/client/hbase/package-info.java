/** Client's access to HBase: reads, writes and schema changes. */
@NullMarked
package io.lampone.client.hbase;

import org.jspecify.annotations.NullMarked;
