/** Counts of a region server in JMX. */
@org.jspecify.annotations.NullMarked
package io.lampone.coprocessor.jmx;
