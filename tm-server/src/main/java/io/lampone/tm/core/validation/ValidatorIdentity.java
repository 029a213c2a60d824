package io.lampone.tm.core.validation;

import java.security.SecureRandom;

/**
 * A process that only votes.
 *
 * @param name its name, unique among the validators
 * @param incarnation number of this process, which no other one has: its tables begin empty
 */
public record ValidatorIdentity(String name, long incarnation) {

  /** Returns a new incarnation. */
  public static ValidatorIdentity random(String name) {
    return new ValidatorIdentity(name, new SecureRandom().nextLong());
  }
}
