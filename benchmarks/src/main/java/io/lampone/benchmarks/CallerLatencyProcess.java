package io.lampone.benchmarks;

import io.lampone.benchmarks.report.Fields;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Callers of Lampone's client that begin transactions one after the other, and the round trips of
 * the frames below them. Argument: port of the transaction manager. Command: {@code wait callers=N
 * millis=N}.
 */
public final class CallerLatencyProcess {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final TransactionManagerClient client;
  private final Clock clock;

  /** Round trips of the present slice; set before it, read by the event loop. */
  private volatile Latencies roundTrips = new Latencies();

  private CallerLatencyProcess(EventLoop loop, AddressSource source, Clock clock) {
    this.clock = clock;
    this.client =
        TransactionManagerClient.create(
            TransactionManagerClientConfig.builder().build(),
            source,
            tapped(loop, clock, () -> roundTrips));
  }

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    // The client's transport on Linux; FrameTap would otherwise depend on the type of the event
    // loop.
    Epoll.ensureAvailability();
    EventLoopGroup group = new EpollEventLoopGroup(1);
    AddressSource source =
        AddressSource.fixed(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
    CallerLatencyProcess process =
        new CallerLatencyProcess(group.next(), source, SystemClock.INSTANCE);
    new ChildProtocol(System.in, System.out).hold(Fields.of("ready"), process::answer);
    System.exit(0);
  }

  /** Returns the request for a slice of waiting callers. */
  static Fields wait(int callers, Duration duration) {
    return Fields.of("wait").with("callers", callers).with("millis", duration.toMillis());
  }

  private Fields answer(Fields line) throws InterruptedException {
    int callers = Math.toIntExact(line.number("callers"));
    Latencies waits = new Latencies();
    Latencies trips = new Latencies();
    Semaphore ended = new Semaphore(0);
    roundTrips = trips;
    long end = clock.monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(line.number("millis"));
    for (int i = 0; i < callers; i++) {
      call(end, waits, ended);
    }
    if (!ended.tryAcquire(callers, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException("begins without an answer, callers=" + callers);
    }
    return Fields.of("wait").with("waits", waits.encode()).with("roundTrips", trips.encode());
  }

  private void call(long end, Latencies waits, Semaphore ended) {
    long start = clock.monotonicNanos();
    if (start - end >= 0) {
      ended.release();
      return;
    }
    client
        .begin()
        .whenComplete(
            (begun, failure) -> {
              if (failure != null) {
                // No permit: the thread that waits for the callers reports the failure.
                return;
              }
              waits.record(clock.monotonicNanos() - start);
              call(end, waits, ended);
            });
  }

  /** Wraps the event loop so that each connection on it gets a tap next to its socket. */
  private static EventLoop tapped(EventLoop loop, Clock clock, Supplier<Latencies> target) {
    return (EventLoop)
        Proxy.newProxyInstance(
            EventLoop.class.getClassLoader(),
            new Class<?>[] {EventLoop.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("register") && arguments[0] instanceof Channel channel) {
                channel.pipeline().addFirst(new FrameTap(clock, target));
              }
              try {
                return method.invoke(loop, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }
}
