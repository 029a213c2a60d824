/**
 * Transport of transactions through the plain HBase client API, and the format of a transactional
 * table: code shared by client and coprocessor that needs HBase's types.
 */
@NullMarked
package io.lampone.hbase;

import org.jspecify.annotations.NullMarked;
