package io.lampone.console.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.manager.ManagersReport;
import io.lampone.cli.manager.ValidatorsReport;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Aggregate of the managers' replies: rates from the differences of counters, and their course over
 * the last minutes. Memory is bounded. Not thread-safe; one task calls it.
 *
 * <p>An unknown figure is null in the JSON, never zero.
 */
public final class OverviewCore {

  /** Points of the course; older ones are dropped. */
  static final int MAX_POINTS = 120;

  /** Limit of managers in the reply; further ones are dropped. */
  static final int MAX_MANAGERS = 32;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLIS_PER_SECOND = 1e3;
  private static final double DECIMALS = 1e3;

  private record Sample(String process, long nanos, long begins, long validations) {}

  private final WorkView work = new WorkView();
  private final Deque<Optional<Double>> course = new ArrayDeque<>();
  private Optional<Sample> last = Optional.empty();
  private long sequence;

  /**
   * Returns the overview after a reply of the managers.
   *
   * @param nanos time of the reply, on a monotonic clock
   */
  public ObjectNode next(ManagersReport report, long nanos) {
    Optional<ManagersReport.Asked> primary =
        report.asked().stream().filter(OverviewCore::leads).findFirst();
    JsonNode status =
        primary
            .flatMap(ManagersReport.Asked::answer)
            .orElseGet(JsonNodeFactory.instance::objectNode);
    Optional<Sample> sample = sample(status, nanos);
    Optional<Sample> before = sample.flatMap(now -> last.filter(then -> comparable(then, now)));
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("sequence", ++sequence);
    Optional<Double> rate =
        work.describeWork(status.path("holder").asText(), status.path("clientWork"), nanos, root);
    if (sample.isPresent() && before.isPresent()) {
      Sample now = sample.get();
      Sample then = before.get();
      double seconds = (now.nanos - then.nanos) / NANOS_PER_SECOND;
      root.put("beginsPerSecond", round((now.begins - then.begins) / seconds));
      root.put("validationsPerSecond", round((now.validations - then.validations) / seconds));
    }
    last = sample;
    remember(rate);
    root.put("transactionsPerSecond", rate.orElse(null));
    describeOpen(status.path("openTransactions"), root);
    root.put("safePointLagSeconds", seconds(status.at("/primary/safePointLagMillis")));
    root.put("primary", primary.map(ManagersReport.Asked::address).orElse(null));
    describeHotRows(status.path("hotRows"), root);
    work.describeServers(status.path("regionServers"), nanos, root);
    ArrayNode points = root.putArray("course");
    course.forEach(point -> points.add(point.orElse(null)));
    describeSafePoint(status.path("primary"), root);
    describe(report, root);
    describeValidators(report, root);
    return root;
  }

  /** Returns the overview after a failed poll. */
  public ObjectNode failed(String problem, long nanos) {
    ObjectNode root = next(new ManagersReport(Optional.empty(), List.of()), nanos);
    return root.put("problem", problem);
  }

  private static boolean leads(ManagersReport.Asked asked) {
    return asked.role().equals("primary")
        && asked
            .answer()
            .filter(status -> status.at("/primary/leaseRemainingMillis").asLong() > 0)
            .isPresent();
  }

  /** Returns the sample, or empty if the manager discloses no counters to this principal. */
  private static Optional<Sample> sample(JsonNode status, long nanos) {
    JsonNode traffic = status.path("traffic");
    return traffic.path("validations").isNumber()
        ? Optional.of(
            new Sample(
                status.path("holder").asText(),
                nanos,
                traffic.path("begins").asLong(),
                traffic.path("validations").asLong()))
        : Optional.empty();
  }

  /** Returns false if another process replied, or the same one restarted. */
  private static boolean comparable(Sample then, Sample now) {
    return then.process.equals(now.process)
        && then.nanos < now.nanos
        && then.begins <= now.begins
        && then.validations <= now.validations;
  }

  private void remember(Optional<Double> rate) {
    course.addLast(rate);
    if (course.size() > MAX_POINTS) {
      course.removeFirst();
    }
  }

  /** Writes zero if no transaction has been open for more than a second. */
  private static void describeOpen(JsonNode open, ObjectNode root) {
    JsonNode oldest = open.path("oldest");
    boolean known = oldest.isArray();
    root.put(
        "oldestTransactionSeconds",
        oldest.isEmpty()
            ? known ? Double.valueOf(0) : null
            : seconds(oldest.path(0).path("ageMillis")));
    root.set(
        "longTransactions", known ? open.path("reported") : JsonNodeFactory.instance.nullNode());
    ArrayNode transactions = root.putArray("oldestTransactions");
    for (JsonNode each : oldest) {
      ObjectNode node = transactions.addObject();
      node.put("ageSeconds", seconds(each.path("ageMillis")));
      node.put("principal", each.path("principal").asText());
      node.put("client", each.path("remote").asText());
      node.put("tables", each.path("tables").asText());
      node.put("startTimestamp", each.path("startTimestamp").asText());
    }
  }

  /** Writes null if the manager does not disclose them to this principal. */
  private static void describeHotRows(JsonNode hotRows, ObjectNode root) {
    if (!hotRows.isArray()) {
      root.putNull("hotRows");
      return;
    }
    ArrayNode rows = root.putArray("hotRows");
    for (JsonNode each : hotRows) {
      ObjectNode node = rows.addObject();
      node.put("table", each.path("table").asText());
      node.put("row", each.path("row").asText());
      node.put("kind", each.path("kind").asText());
      node.put("conflicts", each.path("conflicts").asLong());
      node.put("lastWinner", each.path("lastWinner").asText());
      ArrayNode losers = node.putArray("losers");
      for (JsonNode loser : each.path("losers")) {
        losers
            .addObject()
            .put("principal", loser.path("principal").asText())
            .put("client", loser.path("remote").asText())
            .put("conflicts", loser.path("conflicts").asLong());
      }
    }
  }

  private static void describeSafePoint(JsonNode tables, ObjectNode root) {
    ObjectNode node = root.putObject("safePoint");
    node.set("retentionSeconds", number(seconds(tables.path("retentionMillis"))));
    node.set("holds", tables.path("holds").isNumber() ? tables.path("holds") : node.nullNode());
    JsonNode oldest = tables.path("oldestHold");
    if (oldest.isObject()) {
      ObjectNode hold = node.putObject("oldestHold");
      hold.put("owner", oldest.path("owner").asText());
      hold.put("name", oldest.path("name").asText());
      hold.put("lagSeconds", seconds(oldest.path("lagMillis")));
      hold.put("remainingSeconds", seconds(oldest.path("remainingMillis")));
    }
  }

  private static void describe(ManagersReport report, ObjectNode root) {
    root.set(
        "epoch",
        report
            .record()
            .<JsonNode>map(record -> JsonNodeFactory.instance.numberNode(record.epoch()))
            .orElseGet(JsonNodeFactory.instance::nullNode));
    ArrayNode managers = root.putArray("managers");
    for (ManagersReport.Asked asked : report.asked().stream().limit(MAX_MANAGERS).toList()) {
      ObjectNode node = managers.addObject();
      node.put("address", asked.address());
      node.put("role", asked.role());
      node.put("problem", asked.problem());
      JsonNode status = asked.answer().orElseGet(JsonNodeFactory.instance::objectNode);
      node.put("leaseSeconds", seconds(status.at("/primary/leaseRemainingMillis")));
      node.put("draining", status.path("draining").asBoolean());
      node.put("clockComplaint", status.path("clockComplaint").asText());
    }
  }

  /** Writes null if no primary that knows validators answers. */
  private static void describeValidators(ManagersReport report, ObjectNode root) {
    root.set("bucketsOfPrimary", JsonNodeFactory.instance.nullNode());
    root.putNull("validators");
    report
        .validators()
        .ifPresent(
            found -> {
              root.put("bucketsOfPrimary", found.bucketsOfPrimary());
              ArrayNode validators = root.putArray("validators");
              for (ValidatorsReport.Owner each : found.owners()) {
                ObjectNode node = validator(validators, each.name(), each.address());
                node.put("buckets", each.buckets()).put("state", each.state()).put("problem", "");
                node.put("votesPerSecond", each.votesPerSecond());
                node.put(
                    "remembersSeconds",
                    each.low() == 0
                        ? null
                        : Double.valueOf(each.lowLagMillis() / MILLIS_PER_SECOND));
              }
              for (ValidatorsReport.Idle each :
                  found.idle().stream().limit(MAX_MANAGERS).toList()) {
                ObjectNode node = validator(validators, each.name(), each.address());
                node.put("buckets", 0).put("state", "no share").put("problem", each.problem());
              }
              for (ValidatorsReport.Lost each : found.missing()) {
                ObjectNode node = validator(validators, each.name(), each.address());
                node.put("buckets", 0).put("state", "lost").put("problem", each.problem());
              }
            });
  }

  private static ObjectNode validator(ArrayNode validators, String name, String address) {
    return validators.addObject().put("name", name).put("address", address);
  }

  private static JsonNode number(@Nullable Double value) {
    return value == null
        ? JsonNodeFactory.instance.nullNode()
        : JsonNodeFactory.instance.numberNode(value);
  }

  /** Returns seconds, or null for absent and negative fields, which the manager does not know. */
  static @Nullable Double seconds(JsonNode millis) {
    return millis.isNumber() && millis.asLong() >= 0
        ? Double.valueOf(millis.asLong() / MILLIS_PER_SECOND)
        : null;
  }

  static double round(double value) {
    return Math.round(value * DECIMALS) / DECIMALS;
  }
}
