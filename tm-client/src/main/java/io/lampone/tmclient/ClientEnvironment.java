package io.lampone.tmclient;

import io.lampone.protocol.time.Clock;
import java.util.random.RandomGenerator;

/**
 * Environment of a client of the transaction manager.
 *
 * @param loop where it runs
 * @param transport how it reaches servers; reports on the loop
 * @param clock by which it gives up and tries again
 * @param random draws its pauses; used on the loop only
 */
public record ClientEnvironment(
    SerialExecutor loop, Transport transport, Clock clock, RandomGenerator random) {}
