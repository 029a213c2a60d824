package io.lampone.torture.work;

import io.lampone.client.TransactionOptions;
import java.util.random.RandomGenerator;

/** With which options the lab's transactions run. They are never repeated: each is recorded. */
final class Options {

  /** The shortest way to commit that the product finds. */
  static final TransactionOptions SHORTEST = TransactionOptions.DEFAULT.withRetries(0);

  /** By intents and validation, whatever is written. */
  static final TransactionOptions BY_INTENTS = SHORTEST.withoutOneRegionCommit();

  static final TransactionOptions READ_ONLY = SHORTEST.asReadOnly();

  private Options() {}

  static TransactionOptions any(RandomGenerator random) {
    return random.nextBoolean() ? SHORTEST : BY_INTENTS;
  }
}
