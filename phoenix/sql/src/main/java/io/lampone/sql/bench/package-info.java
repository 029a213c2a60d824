/**
 * {@code bench sql}: Phoenix without transactions, on Omid and on Lampone, in slices that
 * alternate.
 *
 * <p>All three are on one HBase. A JVM has one provider of transactions only, so each client is a
 * process of its own, and those of the other two, as HBase, lack Lampone's jar for Phoenix.
 */
@NullMarked
package io.lampone.sql.bench;

import org.jspecify.annotations.NullMarked;
