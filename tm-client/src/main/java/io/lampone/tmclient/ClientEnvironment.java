package io.lampone.tmclient;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import io.lampone.tmclient.netty.NettySerialExecutor;
import io.lampone.tmclient.netty.NettyTransport;
import io.netty.channel.EventLoop;
import java.util.Random;
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
    SerialExecutor loop, Transport transport, Clock clock, RandomGenerator random) {

  /** Returns the environment of an event loop. */
  static ClientEnvironment on(EventLoop loop, TransactionManagerClientConfig config) {
    return new ClientEnvironment(
        new NettySerialExecutor(loop),
        new NettyTransport(loop, config.connectTimeout(), config.security()),
        SystemClock.INSTANCE,
        new Random());
  }
}
