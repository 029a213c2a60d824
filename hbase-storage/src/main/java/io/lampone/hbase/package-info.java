/**
 * How transactions travel through the plain HBase client API, and what a transactional table looks
 * like: what client and coprocessor share that needs HBase's own types.
 */
@NullMarked
package io.lampone.hbase;

import org.jspecify.annotations.NullMarked;
