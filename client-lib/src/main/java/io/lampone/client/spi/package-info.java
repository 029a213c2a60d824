/**
 * Transactions for layers above HBase, such as SQL, that plan and send reads over their own HBase
 * connections. They act with the rights of their client; HBase checks reads for the user of the
 * connection that reads. A scan of one row may take a dedicated connection of the client: there are
 * none where HBase authenticates its users.
 */
@NullMarked
package io.lampone.client.spi;

import org.jspecify.annotations.NullMarked;
