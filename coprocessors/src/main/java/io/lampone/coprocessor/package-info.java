/**
 * Code that runs in region servers: a region observer that extracts transactional requests from
 * plain HBase operations, and the adapters through which the decisions in {@link
 * io.lampone.coprocessor.core} access region and ZooKeeper.
 */
@NullMarked
package io.lampone.coprocessor;

import org.jspecify.annotations.NullMarked;
