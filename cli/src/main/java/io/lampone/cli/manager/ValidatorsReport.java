package io.lampone.cli.manager;

import com.fasterxml.jackson.databind.JsonNode;
import io.lampone.protocol.Timestamps;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Report of the primary on the validators.
 *
 * @param bucketsOfPrimary number of buckets of the primary
 * @param lostEras number of buckets with an era whose validator has been lost
 * @param owners validators with buckets, or that transactions may still need
 * @param idle processes without a bucket
 * @param lost the last validators lost by this primary
 */
public record ValidatorsReport(
    int bucketsOfPrimary, int lostEras, List<Owner> owners, List<Idle> idle, List<Lost> lost) {

  /** Silence from which on it is shown; validators are asked every 200 ms. */
  private static final long SILENT_MILLIS = 600;

  private static final String ROW = "%-16s  %-24s  %7s  %9s  %-14s  %s";

  /**
   * Validator with buckets.
   *
   * @param buckets number of buckets now; 0 if only transactions that began earlier need it
   * @param silentMillis time since its last answer
   * @param low timestamp below which it has forgotten; 0 = it has forgotten nothing
   * @param lowLagMillis age of that
   */
  public record Owner(
      String name,
      String address,
      int buckets,
      long votesPerSecond,
      long silentMillis,
      long low,
      long lowLagMillis) {

    /** Returns its state in a word or two. */
    public String state() {
      return buckets == 0
          ? "leaving"
          : silentMillis >= SILENT_MILLIS
              ? "silent " + ManagersReport.duration(silentMillis)
              : "votes";
    }

    private String remembers() {
      return low == 0
          ? "all"
          : "since "
              + Timestamps.toInstant(low).truncatedTo(ChronoUnit.SECONDS)
              + ", "
              + ManagersReport.duration(lowLagMillis);
    }
  }

  /**
   * Process without buckets.
   *
   * @param problem reason why it cannot receive any; empty if it can, or was not asked
   */
  public record Idle(String name, String address, String problem) {}

  /** Validator that has lost its buckets, and why. */
  public record Lost(String name, String address, long atMillis, String problem) {}

  /** Reads the primary's answer. */
  public static ValidatorsReport of(JsonNode answer) {
    List<Owner> owners = new ArrayList<>();
    for (JsonNode each : answer.path("validators")) {
      owners.add(
          new Owner(
              each.path("name").asText(),
              each.path("address").asText(),
              each.path("buckets").asInt(),
              each.path("votesPerSecond").asLong(),
              each.path("silentMillis").asLong(),
              each.path("lowWatermark").asLong(),
              each.path("lowLagMillis").asLong()));
    }
    List<Idle> idle = new ArrayList<>();
    for (JsonNode each : answer.path("idle")) {
      idle.add(
          new Idle(
              each.path("name").asText(),
              each.path("address").asText(),
              each.path("problem").asText()));
    }
    List<Lost> lost = new ArrayList<>();
    for (JsonNode each : answer.path("lost")) {
      lost.add(
          new Lost(
              each.path("name").asText(),
              each.path("address").asText(),
              each.path("atMillis").asLong(),
              each.path("problem").asText()));
    }
    return new ValidatorsReport(
        answer.path("bucketsOfPrimary").asInt(),
        answer.path("lostEras").asInt(),
        owners,
        idle,
        lost);
  }

  /** Returns the losses of validators that have no buckets again. */
  public List<Lost> missing() {
    return lost.stream()
        .filter(
            each ->
                owners.stream()
                    .noneMatch(owner -> owner.name().equals(each.name()) && owner.buckets() > 0))
        .toList();
  }

  /** Returns the report as a table. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(line("VALIDATOR", "ADDRESS", "BUCKETS", "VOTES/S", "STATE", "REMEMBERS"));
    lines.add(line("primary", "-", String.valueOf(bucketsOfPrimary), "-", "-", "-"));
    for (Owner each : owners) {
      lines.add(
          line(
              each.name(),
              each.address(),
              String.valueOf(each.buckets()),
              String.valueOf(each.votesPerSecond()),
              each.state(),
              each.remembers()));
    }
    idle.forEach(
        each -> lines.add(line(each.name(), each.address(), "-", "-", "no share", each.problem())));
    for (Lost each : missing()) {
      Instant at = Instant.ofEpochMilli(each.atMillis()).truncatedTo(ChronoUnit.SECONDS);
      lines.add(
          line(each.name(), each.address(), "-", "-", "lost", "at " + at + ": " + each.problem()));
    }
    return lines;
  }

  private static String line(Object... columns) {
    return String.format(Locale.ROOT, ROW, columns).stripTrailing();
  }
}
