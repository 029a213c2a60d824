/**
 * Transactions for layers above HBase, such as SQL, that plan and send reads over their own HBase
 * connections. They act with the rights of their client; HBase checks reads for the user of the
 * connection that reads.
 */
@NullMarked
package io.lampone.client.spi;

import org.jspecify.annotations.NullMarked;
