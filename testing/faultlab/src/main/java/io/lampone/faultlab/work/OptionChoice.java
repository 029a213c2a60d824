package io.lampone.faultlab.work;

import io.lampone.client.Freshness;
import io.lampone.client.TransactionOptions;
import java.util.List;
import java.util.random.RandomGenerator;

/** With which options the lab's transactions run. They are never repeated: each is recorded. */
public final class OptionChoice {

  /** The shortest way to commit that the client chooses. */
  static final TransactionOptions SHORTEST = TransactionOptions.DEFAULT.withRetries(0);

  /** By intents and validation, whatever is written. */
  static final TransactionOptions BY_INTENTS = SHORTEST.withoutOneRegionCommit();

  public static final TransactionOptions READ_ONLY = SHORTEST.asReadOnly();

  static final TransactionOptions SESSION = READ_ONLY.withFreshness(Freshness.SESSION);

  /** With gets only. */
  static final TransactionOptions LATEST = READ_ONLY.withFreshness(Freshness.LATEST);

  /** One of so many transactions that write begins on a snapshot at hand. */
  private static final int SESSION_IN = 4;

  private OptionChoice() {}

  /** Options of a transaction that only reads, by gets. */
  static TransactionOptions anyOfGets(RandomGenerator random) {
    return List.of(READ_ONLY, SESSION, LATEST).get(random.nextInt(3));
  }

  /** Options of a transaction that writes. */
  static TransactionOptions any(RandomGenerator random) {
    TransactionOptions way = random.nextBoolean() ? SHORTEST : BY_INTENTS;
    return random.nextInt(SESSION_IN) == 0 ? way.withFreshness(Freshness.SESSION) : way;
  }
}
