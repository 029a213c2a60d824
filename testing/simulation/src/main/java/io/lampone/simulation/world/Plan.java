package io.lampone.simulation.world;

import io.lampone.protocol.ConflictLevel;
import java.time.Duration;
import java.util.List;

/**
 * Parameters of a run, drawn first from its seed. For every "one in n" 0 means never.
 *
 * @param focus of the run
 * @param clients that run transactions
 * @param transactions of each client
 * @param rows that they contend for
 * @param level of the table
 * @param localNumbers versions that a region server draws within a tick
 * @param memory entries in the conflict table of a transaction manager
 * @param decisions that a transaction manager remembers
 * @param bufferBytes writes beyond this are flushed early
 * @param honestClocks true if clocks differ less than leases allow for; else real time orders
 *     nothing
 * @param oneLostIn messages
 * @param oneDoubledIn requests
 * @param oneStuckIn messages with a very long delay
 * @param faultEvery about the time between two faults; zero = none
 * @param pace longest pause of a client between two steps
 * @param lease of a transaction manager
 * @param oneSlowIn messages, and steps of a write
 * @param healEvery longest time between two passes of a healer; zero = no healers
 * @param collectEvery about the time between two flushes or compactions; zero = none
 * @param serializable of 100 transactions that write, those that are serializable
 * @param flooded true if a hostile principal fills the memories that it shares with others; not in
 *     a run in which they are so small that honest clients fill them
 * @param clocksCompared true if transaction managers compare their clocks, of which one may be a
 *     day ahead; only with honest clocks
 * @param session of 100 transactions, those that begin on a start timestamp at hand
 * @param validators besides the primary
 * @param votes entries in the table of a validator
 * @param latest of 100 transactions, those without a snapshot
 * @param early true if clients reserve what their transactions write
 */
public record Plan(
    Focus focus,
    int clients,
    int transactions,
    int rows,
    ConflictLevel level,
    int localNumbers,
    int memory,
    int decisions,
    long bufferBytes,
    boolean honestClocks,
    int oneLostIn,
    int oneDoubledIn,
    int oneStuckIn,
    Duration faultEvery,
    Duration pace,
    Duration lease,
    int oneSlowIn,
    Duration collectEvery,
    Duration healEvery,
    int serializable,
    boolean flooded,
    boolean clocksCompared,
    int session,
    int validators,
    int votes,
    int latest,
    boolean early) {

  /** Salt of a separate generator, so that runs without serializable transactions do not change. */
  private static final long SALT = 0x5E71A112AB1EL;

  private static final int ONE_SERIALIZABLE_IN = 3;

  /** The same for floods. */
  private static final long FLOOD_SALT = 0xF100DEDF100DEDL;

  private static final int ONE_FLOODED_IN = 8;

  /** The same for wall clocks that are far ahead. */
  private static final long CLOCK_SALT = 0xC10C4C10C4C10CL;

  private static final int ONE_COMPARED_IN = 8;

  /** The same for start timestamps at hand. */
  private static final long SESSION_SALT = 0x5E5510A5E5510AL;

  private static final int ONE_SESSION_IN = 4;

  /** The same for validators; such that no run that shows an older mutant has any. */
  private static final long VALIDATOR_SALT = 0x7A11DA7014B3CL;

  private static final int ONE_WITH_VALIDATORS_IN = 5;
  private static final int MOST_VALIDATORS = 3;
  private static final int ONE_STRADDLED_IN = 2;

  /** The same for transactions without a snapshot; such that no run of an older mutant has any. */
  private static final long LATEST_SALT = 0x1A7E5709371L;

  private static final int ONE_WITH_LATEST_IN = 5;

  /** The same for reservations; such that no run of an older mutant has any. */
  private static final long EARLY_SALT = 0xEA51100022BL;

  private static final int ONE_EARLY_IN = 8;

  /** Capacity of a memory that is large. */
  private static final int LARGE = 256;

  /** Longest pauses of clients between steps: a slow client lives through more. */
  private static final List<Duration> PACES =
      List.of(Duration.ofMillis(3), Duration.ofMillis(12), Duration.ofMillis(40));

  private static final List<Duration> SLOW_PACES =
      List.of(Duration.ofMillis(12), Duration.ofMillis(30));

  public Plan {
    flooded &= memory >= LARGE && decisions >= LARGE;
  }

  /**
   * Draws a plan.
   *
   * @param chance whose next draws are the run's
   * @param seed of the run
   */
  public static Plan draw(Chance chance, long seed) {
    Focus focus = Focus.draw(chance);
    boolean rivals = focus.hasRivals();
    boolean oblivion = focus == Focus.OBLIVION;
    int weather = chance.between(0, 5);
    boolean quiet = weather == 0;
    boolean honest = !rivals && (oblivion || !chance.oneIn(3));
    boolean faults = weather > 1 || !honest;
    // Decisions are soon forgotten, and replies lost: a repeated request finds no decision.
    boolean forgetful = oblivion || chance.oneIn(5);
    Chance votes = new Chance(seed ^ VALIDATOR_SALT);
    int validators = votes.oneIn(ONE_WITH_VALIDATORS_IN) ? votes.between(1, MOST_VALIDATORS) : 0;
    boolean straddlers = validators > 0 && focus == Focus.NONE && votes.oneIn(ONE_STRADDLED_IN);
    return new Plan(
        straddlers ? Focus.STRADDLERS : focus,
        rivals || straddlers
            ? chance.between(4, 6)
            : honest ? chance.between(2, 4) : chance.between(2, 3),
        chance.between(6, 12),
        oblivion
            ? 2
            : rivals || straddlers
                ? chance.between(2, 3)
                : honest ? chance.between(3, 6) : chance.between(2, 5),
        chance.oneIn(3) ? ConflictLevel.CELL : ConflictLevel.ROW,
        chance.oneIn(2) ? 128 : chance.between(1, 4),
        chance.oneIn(4) ? chance.between(4, 12) : LARGE,
        forgetful ? chance.between(1, 3) : LARGE,
        rivals && chance.oneIn(focus == Focus.SUPERSEDED ? 4 : 2)
            ? 0
            : chance.oneIn(3) ? chance.between(0, 200) : 1 << 20,
        honest,
        quiet ? 0 : forgetful ? chance.between(20, 60) : chance.between(60, 400),
        quiet ? 0 : chance.between(15, 100),
        quiet ? 0 : chance.between(60, 400),
        faults ? Duration.ofMillis(rivals ? 30 : chance.between(20, 150)) : Duration.ZERO,
        // Two rival primaries must meet clients that are still at work.
        oblivion ? PACES.get(0) : honest ? chance.pick(PACES) : chance.pick(SLOW_PACES),
        honest ? Duration.ofMillis(300) : Duration.ofMillis(80),
        honest ? 45 : 8,
        chance.oneIn(3) ? Duration.ZERO : Duration.ofMillis(chance.between(10, 60)),
        chance.oneIn(2) ? Duration.ZERO : Duration.ofMillis(chance.between(50, 300)),
        straddlers && votes.oneIn(2) ? 100 : serializable(new Chance(seed ^ SALT)),
        new Chance(seed ^ FLOOD_SALT).oneIn(ONE_FLOODED_IN),
        honest && new Chance(seed ^ CLOCK_SALT).oneIn(ONE_COMPARED_IN),
        session(new Chance(seed ^ SESSION_SALT), focus),
        validators,
        votes.oneIn(2) ? votes.between(4, 24) : LARGE,
        focus != Focus.SUPERSEDED && isLatest(new Chance(seed ^ LATEST_SALT)) ? 40 : 0,
        new Chance(seed ^ EARLY_SALT).oneIn(ONE_EARLY_IN));
  }

  /** Returns the share of sessions; none where clients with an old begin are wanted. */
  private static int session(Chance chance, Focus focus) {
    return focus == Focus.SUPERSEDED || !chance.oneIn(ONE_SESSION_IN) ? 0 : 60;
  }

  private static boolean isLatest(Chance chance) {
    return chance.oneIn(ONE_WITH_LATEST_IN);
  }

  private static int serializable(Chance chance) {
    return !chance.oneIn(ONE_SERIALIZABLE_IN) ? 0 : chance.oneIn(2) ? 30 : 100;
  }
}
