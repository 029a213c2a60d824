/**
 * The decisions of the client: what a transaction buffers, how it commits, how intents are
 * resolved. Time, network, storage and randomness come in through ports, so that a simulator runs
 * this code.
 */
@NullMarked
package io.lampone.client.core;

import org.jspecify.annotations.NullMarked;
