/**
 * Blocking connections to region servers, by HBase's own protocol, for threads that wait for their
 * replies (ADR 50).
 */
@NullMarked
package io.lampone.client.hbase.line;

import org.jspecify.annotations.NullMarked;
