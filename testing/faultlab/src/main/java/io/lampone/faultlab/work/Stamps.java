package io.lampone.faultlab.work;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers that no other client of a run gives away: elements of lists, values of registers,
 * processes of histories. A value carries a small number besides, a balance say, in its lowest
 * bits: so the judge sees unique values, and a check of the workload sees what they mean.
 *
 * <pre>
 *   value = client:10 counter:22 content:20        below 2^53, as JSON demands
 * </pre>
 */
public final class Stamps {

  /** So many clients may take part in a run, one after the other or at once. */
  public static final int MAX_CLIENTS = 1 << 10;

  /** The one that reads everything in the end. */
  public static final int LAST_CLIENT = MAX_CLIENTS - 1;

  /** Upper bound, exclusive, of the content of a {@link #value}. */
  public static final long CONTENT_LIMIT = 1 << 20;

  private static final int CONTENT_BITS = 20;
  private static final int COUNTER_BITS = 22;
  private static final int PROCESS_BITS = 20;

  private final long client;
  private final AtomicLong counter = new AtomicLong();
  private final AtomicInteger processes = new AtomicInteger();

  /**
   * @param client a number that no other client of the run has
   */
  public Stamps(int client) {
    if (client < 0 || client >= MAX_CLIENTS) {
      throw new IllegalArgumentException(
          "too many clients in one run, number=" + client + " limit=" + MAX_CLIENTS);
    }
    this.client = client;
  }

  /** Returns a value that is never written again. */
  public long value(long content) {
    if (content < 0 || content >= CONTENT_LIMIT) {
      throw new IllegalArgumentException("does not fit into a value, content=" + content);
    }
    long number = counter.incrementAndGet();
    if (number >= 1L << COUNTER_BITS) {
      throw new IllegalStateException("a client has written too much, values=" + number);
    }
    return (client << COUNTER_BITS | number) << CONTENT_BITS | content;
  }

  /** Returns the content of a value. */
  public static long content(long value) {
    return value & CONTENT_LIMIT - 1;
  }

  /** Returns true if a process belongs to the client that reads everything at the end. */
  public static boolean isLast(int process) {
    return process >> PROCESS_BITS == LAST_CLIENT;
  }

  /** Returns a process number that has never been used before. */
  int process() {
    int number = processes.getAndIncrement();
    if (number >= 1 << PROCESS_BITS) {
      throw new IllegalStateException("too many unknown outcomes, processes=" + number);
    }
    return (int) (client << PROCESS_BITS) + number;
  }
}
