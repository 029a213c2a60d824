package io.lampone.faultlab.fault;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.tmclient.TransactionManagerClient;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Validates transactions of as many hashes as a frame holds, one after the other, for a separate
 * principal and tenant, so that the conflict table would lose the hashes of the others. In
 * parallel, transactions of the load's principal are validated when they are {@link #AGE_SECONDS}
 * old: their age is a fifth of the time for which the table keeps hashes ({@code
 * lampone.tm.admission.table.age}), so a refusal as older than the table is a breach.
 */
final class Flood {

  static final long AGE_SECONDS = 2;

  /** A probe that is older than this was delayed, and may be older than the table. */
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(2 * AGE_SECONDS);

  /** A frame holds 1 MB. */
  private static final int HASHES = 120_000;

  private static final long PAUSE_MILLIS = 2;
  private static final long REPLY_SECONDS = 10;
  private static final long END_SECONDS = 20;
  private static final long[] NONE = {};

  private final TransactionManagerClient stranger;
  private final TransactionManagerClient honest;
  private final Random random;
  private final Clock clock;

  /** True if no other fault may keep a probe from being judged in time. */
  private final boolean alone;

  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch judged = new CountDownLatch(1);
  private final Thread flooder = new Thread(() -> run(this::flood, PAUSE_MILLIS), "flood");
  private final Thread prober = new Thread(() -> run(this::probe, 1), "flood-probe");

  /** Each is written by one thread, and read when that has ended. */
  private int validated;

  private int probes;
  private int forgotten;

  private interface Step {
    void run() throws InterruptedException, ExecutionException, TimeoutException;
  }

  Flood(
      TransactionManagerClient stranger,
      TransactionManagerClient honest,
      int seed,
      boolean alone,
      Clock clock) {
    this.alone = alone;
    this.clock = clock;
    this.stranger = stranger;
    this.honest = honest;
    this.random = new Random(seed);
  }

  void start() {
    flooder.setDaemon(true);
    flooder.start();
    prober.setDaemon(true);
    prober.start();
  }

  /** Ends the flood; if alone, not before a probe was judged in time, which takes seconds. */
  void end() throws InterruptedException {
    if (alone) {
      judged.await(END_SECONDS, TimeUnit.SECONDS);
    }
    stop.countDown();
    flooder.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
    prober.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
    stranger.close();
    honest.close();
  }

  /**
   * Judges it, when it has ended.
   *
   * @throws IllegalStateException if a transaction of the other principal was older than the table
   * @throws FaultNotAppliedException if none of its validations was answered, or, without other
   *     faults, none of the other principal's in time
   */
  void requireNoBreach() throws FaultNotAppliedException {
    if (flooder.isAlive() || prober.isAlive()) {
      throw new IllegalStateException("the flood does not end");
    }
    if (forgotten > 0) {
      throw new IllegalStateException(
          InjectedFault.BREACH
              + ": transactions of another principal became older than the conflict table within "
              + AGE_SECONDS
              + " s, forgotten="
              + forgotten
              + " probes="
              + probes);
    }
    if (validated == 0) {
      throw new FaultNotAppliedException("the flood was not answered");
    }
    if (alone && probes == 0) {
      throw new FaultNotAppliedException("no transaction of another principal was judged in time");
    }
  }

  private void run(Step step, long pauseMillis) {
    try {
      while (!stop.await(pauseMillis, TimeUnit.MILLISECONDS)) {
        try {
          step.run();
        } catch (ExecutionException | TimeoutException e) {
          // Another fault is in the way.
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void flood() throws InterruptedException, ExecutionException, TimeoutException {
    // The client repeats validations that are refused by admission control.
    validate(stranger, begin(stranger), random.longs(HASHES).toArray());
    flooded();
  }

  private void probe() throws InterruptedException, ExecutionException, TimeoutException {
    long beganNanos = clock.monotonicNanos();
    Begin begin = begin(honest);
    long connections = honest.statistics().connections();
    if (stop.await(AGE_SECONDS, TimeUnit.SECONDS)) {
      return;
    }
    Validation validation = validate(honest, begin, random.longs(1).toArray());
    // A new primary starts with an empty table.
    probed(beganNanos, validation, honest.statistics().connections() != connections);
  }

  /**
   * Counts the answer to a transaction.
   *
   * @param beganNanos before it began
   * @param elsewhere true if another primary may have answered
   */
  void probed(long beganNanos, Validation validation, boolean elsewhere) {
    if (elsewhere || clock.monotonicNanos() - beganNanos > MOST_NANOS) {
      return;
    }
    probes++;
    judged.countDown();
    if (validation instanceof Validation.Refused no && no.reason() == Reason.BELOW_WATERMARK) {
      forgotten++;
    }
  }

  /** The flood itself was answered. */
  void flooded() {
    validated++;
  }

  private static Begin begin(TransactionManagerClient client)
      throws InterruptedException, ExecutionException, TimeoutException {
    return client.begin().get(REPLY_SECONDS, TimeUnit.SECONDS);
  }

  private static Validation validate(TransactionManagerClient client, Begin begin, long[] record)
      throws InterruptedException, ExecutionException, TimeoutException {
    return client
        .validate(new Validator.Request(begin.startTimestamp(), begin.grant(), true, NONE, record))
        .get(REPLY_SECONDS, TimeUnit.SECONDS);
  }
}
