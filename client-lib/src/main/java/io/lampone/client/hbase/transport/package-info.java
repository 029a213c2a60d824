/** Requests to region servers: location, retries, deadlines, metrics and failures. */
@NullMarked
package io.lampone.client.hbase.transport;

import org.jspecify.annotations.NullMarked;
