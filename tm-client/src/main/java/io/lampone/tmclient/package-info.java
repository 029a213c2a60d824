/**
 * The client of the transaction manager: finds the primary, batches concurrent requests into
 * frames, and repeats requests until they are answered or time out.
 */
@NullMarked
package io.lampone.tmclient;

import org.jspecify.annotations.NullMarked;
