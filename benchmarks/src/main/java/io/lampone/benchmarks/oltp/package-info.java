/**
 * TATP, SmallBank and TPC-C as applications of the client library, and what drives them: terminals
 * that ask again as soon as they have their answer, without think times; each transaction in {@link
 * io.lampone.client.LamponeClient}'s regular transactions, begun again after a conflict. What a
 * specification says must hold is checked after the run.
 */
@NullMarked
package io.lampone.benchmarks.oltp;

import org.jspecify.annotations.NullMarked;
