/**
 * State shared by all regions of one server: its timestamps, its ZooKeeper session, and the record
 * of the transaction manager.
 */
@NullMarked
package io.lampone.coprocessor.server;

import org.jspecify.annotations.NullMarked;
