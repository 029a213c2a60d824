package io.lampone.sql.bench;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Plan of a comparison.
 *
 * @param folder for the data of the cluster; the caller deletes it
 * @param rows in each table
 * @param warmUp time without results
 * @param measured time measured, by whole rounds
 * @param slice how long the slowest system takes for one
 * @param readable how long Lampone keeps a snapshot readable: its tables are at rest after that,
 *     not before
 * @param seed of statements and of the order of slices
 */
record SqlPlan(
    Path folder,
    int rows,
    Duration warmUp,
    Duration measured,
    Duration slice,
    Duration readable,
    long seed) {

  private static final Duration READABLE = Duration.ofSeconds(10);

  static SqlPlan quick(Path folder, long seed) {
    return new SqlPlan(
        folder,
        4_000,
        Duration.ofSeconds(10),
        Duration.ofSeconds(22),
        Duration.ofMillis(150),
        READABLE,
        seed);
  }

  static SqlPlan whole(Path folder, long seed) {
    return new SqlPlan(
        folder,
        20_000,
        Duration.ofSeconds(60),
        Duration.ofSeconds(300),
        Duration.ofMillis(500),
        READABLE,
        seed);
  }
}
