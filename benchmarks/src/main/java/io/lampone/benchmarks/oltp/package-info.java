/**
 * TATP, SmallBank and TPC-C as applications of the client library, and their driver: terminals
 * without think times, which run each transaction as a regular transaction of {@link
 * io.lampone.client.LamponeClient} and retry it after a conflict. The consistency conditions of the
 * specifications are checked after the run.
 */
@NullMarked
package io.lampone.benchmarks.oltp;

import org.jspecify.annotations.NullMarked;
