/**
 * Code that runs in region servers: one region observer that takes transactional requests out of
 * plain HBase operations, and the adapters through which the decisions in {@link
 * io.lampone.coprocessor.core} see region and ZooKeeper.
 */
@NullMarked
package io.lampone.coprocessor;

import org.jspecify.annotations.NullMarked;
