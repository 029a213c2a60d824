/**
 * Transactions for layers above HBase that plan and send reads by themselves, over HBase
 * connections of their own: SQL, for one. They act with the rights of the client that they come
 * from; what they read is checked by HBase for the user of the connection that reads.
 */
@NullMarked
package io.lampone.client.spi;

import org.jspecify.annotations.NullMarked;
