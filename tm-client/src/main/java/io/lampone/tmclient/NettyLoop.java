package io.lampone.tmclient;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/** An event loop. */
record NettyLoop(EventLoop eventLoop) implements Loop {

  @Override
  public void execute(Runnable task) {
    eventLoop.execute(task);
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    eventLoop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
  }
}
