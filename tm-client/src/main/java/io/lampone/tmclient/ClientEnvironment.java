package io.lampone.tmclient;

import io.lampone.protocol.time.Clock;
import java.util.random.RandomGenerator;

/**
 * Environment of a client of the transaction manager.
 *
 * @param loop runs all tasks of the client
 * @param transport opens connections; reports on the loop
 * @param clock clock of timeouts and retries
 * @param random draws pauses; used on the loop only
 */
public record ClientEnvironment(
    SerialExecutor loop, Transport transport, Clock clock, RandomGenerator random) {}
