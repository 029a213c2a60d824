/**
 * Decisions of the region server, free of HBase: what a snapshot sees, when a write is refused, how
 * a transaction cell changes, and what the server must know before it answers. They access the
 * stored row through {@link io.lampone.coprocessor.core.intent.StoredRow} and ZooKeeper through two
 * ports, so a simulation runs the same code as production.
 */
@NullMarked
package io.lampone.coprocessor.core;

import org.jspecify.annotations.NullMarked;
