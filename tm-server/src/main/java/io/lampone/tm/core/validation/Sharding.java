package io.lampone.tm.core.validation;

import java.time.Duration;

/**
 * Settings of validation by several processes (ADR 91).
 *
 * @param name the name of this process if it is a validator only; empty for a transaction manager
 * @param primaryKeeps whether the primary keeps a share of the buckets when validators are added
 * @param silence silence after which a validator counts as lost
 */
public record Sharding(String name, boolean primaryKeeps, Duration silence) {

  /** The default: a transaction manager. */
  public static final Sharding DEFAULT = new Sharding("", true, Duration.ofSeconds(1));
}
