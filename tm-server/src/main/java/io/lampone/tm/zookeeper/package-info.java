/** Keeps the record of the transaction manager in ZooKeeper. */
@NullMarked
package io.lampone.tm.zookeeper;

import org.jspecify.annotations.NullMarked;
