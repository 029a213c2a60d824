/**
 * Definitions shared by client, transaction manager and region server: timestamps, transaction
 * cells, requests, replies, error codes, and the ports between the parts. Pure Java, no I/O.
 */
@NullMarked
package io.lampone.protocol;

import org.jspecify.annotations.NullMarked;
