/**
 * Decisions of the client: buffering, commits, and the resolution of intents. Time, network,
 * storage and randomness enter through ports, so that a simulator runs this code.
 */
@NullMarked
package io.lampone.client.core;

import org.jspecify.annotations.NullMarked;
