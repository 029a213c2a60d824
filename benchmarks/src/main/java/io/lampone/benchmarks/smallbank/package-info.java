/** SmallBank: Alomari, Cahill, Fekete, Röhm: The Cost of Serializability, ICDE 2008. */
@NullMarked
package io.lampone.benchmarks.smallbank;

import org.jspecify.annotations.NullMarked;
