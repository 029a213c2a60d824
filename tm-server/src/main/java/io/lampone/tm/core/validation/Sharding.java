package io.lampone.tm.core.validation;

import java.time.Duration;

/**
 * Settings of validation by several processes (ADR 91).
 *
 * @param name the name of this process if it is a validator only; empty for a transaction manager
 * @param primaryKeeps whether the primary keeps a share of the buckets when validators are added
 * @param silence silence after which a validator counts as lost
 * @param leastCapacity smallest capacity of the tables of a validator that receives buckets
 */
public record Sharding(String name, boolean primaryKeeps, Duration silence, int leastCapacity) {

  /** Seconds of a heavy load. */
  private static final int LEAST_CAPACITY = 10_000;

  /** The default: a transaction manager. */
  public static final Sharding DEFAULT = new Sharding("", true, Duration.ofSeconds(1));

  /** Settings with the usual capacity. */
  public Sharding(String name, boolean primaryKeeps, Duration silence) {
    this(name, primaryKeeps, silence, LEAST_CAPACITY);
  }
}
