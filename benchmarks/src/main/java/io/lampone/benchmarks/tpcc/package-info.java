/**
 * TPC-C on a key-value store: the tables, transactions and consistency conditions of the TPC
 * Benchmark C standard specification, revision 5.11. Not a TPC result: no think times, no
 * terminals, scaled down by default.
 */
@NullMarked
package io.lampone.benchmarks.tpcc;

import org.jspecify.annotations.NullMarked;
