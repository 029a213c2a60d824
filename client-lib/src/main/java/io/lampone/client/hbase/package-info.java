/** The client's side towards HBase: how reads, writes and schema changes reach the servers. */
@NullMarked
package io.lampone.client.hbase;

import org.jspecify.annotations.NullMarked;
