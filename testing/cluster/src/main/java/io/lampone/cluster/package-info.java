/**
 * A cluster as processes on this machine: ZooKeeper, HBase masters and region servers, transaction
 * managers. For measurements, fault injection and trials of operations.
 */
@NullMarked
package io.lampone.cluster;

import org.jspecify.annotations.NullMarked;
