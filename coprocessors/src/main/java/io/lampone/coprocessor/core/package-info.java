/**
 * The decisions of the region server, free of HBase: what a snapshot sees, when a write is refused,
 * how a transaction cell changes, what the server must know before it answers. They see the stored
 * row through {@link io.lampone.coprocessor.core.intent.StoredRow} and ZooKeeper through two ports,
 * so that a simulation runs the very code that runs in production.
 */
@NullMarked
package io.lampone.coprocessor.core;

import org.jspecify.annotations.NullMarked;
