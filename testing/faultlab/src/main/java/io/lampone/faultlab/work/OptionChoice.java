package io.lampone.faultlab.work;

import io.lampone.client.TransactionOptions;
import java.util.random.RandomGenerator;

/** With which options the lab's transactions run. They are never repeated: each is recorded. */
public final class OptionChoice {

  /** The shortest way to commit that the client chooses. */
  static final TransactionOptions SHORTEST = TransactionOptions.DEFAULT.withRetries(0);

  /** By intents and validation, whatever is written. */
  static final TransactionOptions BY_INTENTS = SHORTEST.withoutOneRegionCommit();

  public static final TransactionOptions READ_ONLY = SHORTEST.asReadOnly();

  private OptionChoice() {}

  static TransactionOptions any(RandomGenerator random) {
    return random.nextBoolean() ? SHORTEST : BY_INTENTS;
  }
}
