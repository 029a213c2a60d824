package io.lampone.tm.core.transfer;

import io.lampone.protocol.time.Clock;
import java.time.Duration;

/**
 * Measures whether a backup is fast enough for a primary to stop deciding and wait for it. While
 * the primary continues to decide, parts are sent as they will be after sealing; a round ends when
 * every part sent so far has been answered. A new process is slow in its first rounds, because it
 * loads and compiles code; so these run while no client waits, and the primary seals only after
 * several short rounds in a row.
 */
public final class CatchUpProbe {

  /** Maximum duration of a short round: a fraction of what clients may be delayed. */
  public static final Duration SHORT_ROUND = Duration.ofMillis(20);

  /** Number of consecutive short rounds required; a single one may be luck. */
  public static final int SHORT_ROUNDS = 5;

  /** Time for which short rounds predict the next one. */
  public static final Duration FRESHNESS = Duration.ofMillis(100);

  private final Clock clock;

  /** Parts sent that the backup answers individually, and answers received. */
  private long parts;

  private long answers;

  /** True while a round is under way: begun, and not all parts answered. */
  private boolean underWay;

  /** Start of the current or last round, and end of the last one. */
  private long begunNanos;

  private long endedNanos;

  /** Completed rounds, and how many of the last ones in a row were short. */
  private int rounds;

  private int shortRounds;

  public CatchUpProbe(Clock clock) {
    this.clock = clock;
  }

  /** Records that a part was sent that will be answered. */
  public void sent() {
    parts++;
  }

  /** Records the answer to a part. */
  public void answered() {
    answers++;
    if (underWay && answers >= parts) {
      underWay = false;
      endedNanos = clock.monotonicNanos();
      rounds++;
      shortRounds = endedNanos - begunNanos <= SHORT_ROUND.toNanos() ? shortRounds + 1 : 0;
    }
  }

  /** Returns true if another round may begin: a round measures only its own parts. */
  public boolean mayBegin() {
    return !underWay && answers >= parts;
  }

  /** Begins a round with the next part. */
  public void begin() {
    underWay = true;
    begunNanos = clock.monotonicNanos();
  }

  /** Returns true if the primary may seal: the last rounds were short, and recent. */
  public boolean isPassed() {
    return shortRounds >= SHORT_ROUNDS
        && clock.monotonicNanos() - endedNanos <= FRESHNESS.toNanos();
  }

  /** Returns the number of completed rounds. */
  int rounds() {
    return rounds;
  }

  /** Returns the duration of the last round. */
  Duration lastRound() {
    return rounds == 0 ? Duration.ZERO : Duration.ofNanos(Math.max(0, endedNanos - begunNanos));
  }
}
