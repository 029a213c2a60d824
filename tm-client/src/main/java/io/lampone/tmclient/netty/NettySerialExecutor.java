package io.lampone.tmclient.netty;

import io.lampone.tmclient.SerialExecutor;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/** A Netty event loop as executor. */
public record NettySerialExecutor(EventLoop eventLoop) implements SerialExecutor {

  @Override
  public void execute(Runnable task) {
    eventLoop.execute(task);
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    eventLoop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
  }
}
