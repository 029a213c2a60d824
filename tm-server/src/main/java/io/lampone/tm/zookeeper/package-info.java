/** Stores of the transaction managers in ZooKeeper: record, members and tokens. */
@NullMarked
package io.lampone.tm.zookeeper;

import org.jspecify.annotations.NullMarked;
