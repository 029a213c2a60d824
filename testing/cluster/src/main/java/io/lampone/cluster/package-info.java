/**
 * A cluster as processes on this machine: ZooKeeper, HBase masters and region servers, transaction
 * managers. For measuring, for breaking things, and for trying what an operator does.
 */
@NullMarked
package io.lampone.cluster;

import org.jspecify.annotations.NullMarked;
