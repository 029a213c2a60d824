package io.lampone.tm.core.transfer;

import io.lampone.protocol.time.Clock;
import java.time.Duration;

/**
 * Probe of a backup's speed: whether a primary may stop deciding and wait for it. While the primary
 * continues to decide, parts travel as they will when it has sealed; one round is over when every
 * part sent so far has been answered. A new process is slow in the first rounds, because it loads
 * and compiles what they need: so those are here, where no client waits, and the primary seals only
 * when several in a row were short.
 */
public final class CatchUpProbe {

  /** A round that took no longer is short: a fraction of what a client may be held up. */
  public static final Duration SHORT_ROUND = Duration.ofMillis(20);

  /** So many in a row must have been short; one may have been luck. */
  public static final int SHORT_ROUNDS = 5;

  /** Time for which short rounds predict the next one. */
  public static final Duration FRESHNESS = Duration.ofMillis(100);

  private final Clock clock;

  /** Parts sent that the backup answers one by one, and answers that have come. */
  private long parts;

  private long answers;

  /** True if a round is under way: begun, and not all parts answered. */
  private boolean underWay;

  /** When the present or last round began, and the last one ended. */
  private long begunNanos;

  private long endedNanos;

  /** Rounds that are over, and how many of the last ones were short. */
  private int rounds;

  private int shortRounds;

  public CatchUpProbe(Clock clock) {
    this.clock = clock;
  }

  /** A part has been sent that will be answered. */
  public void sent() {
    parts++;
  }

  /** The answer to a part has come. */
  public void answered() {
    answers++;
    if (underWay && answers >= parts) {
      underWay = false;
      endedNanos = clock.monotonicNanos();
      rounds++;
      shortRounds = endedNanos - begunNanos <= SHORT_ROUND.toNanos() ? shortRounds + 1 : 0;
    }
  }

  /** Returns true if the parts of another round may go out: a round measures only itself. */
  public boolean mayBegin() {
    return !underWay && answers >= parts;
  }

  /** A round begins with the next part. */
  public void begin() {
    underWay = true;
    begunNanos = clock.monotonicNanos();
  }

  /** Returns true if it is time to seal: the last rounds were short, and recent. */
  public boolean isPassed() {
    return shortRounds >= SHORT_ROUNDS
        && clock.monotonicNanos() - endedNanos <= FRESHNESS.toNanos();
  }

  /** Rounds that are over. */
  int rounds() {
    return rounds;
  }

  /** Returns the duration of the last round. */
  Duration lastRound() {
    return rounds == 0 ? Duration.ZERO : Duration.ofNanos(Math.max(0, endedNanos - begunNanos));
  }
}
