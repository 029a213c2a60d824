package io.lampone.cli.manager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.protocol.tm.ManagerRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Report of ZooKeeper and the transaction managers on themselves.
 *
 * @param record record in ZooKeeper
 * @param asked reply of each manager
 * @param validators the primary's report on validators; empty without a primary that has any
 */
public record ManagersReport(
    Optional<ManagerRecord> record, List<Asked> asked, Optional<ValidatorsReport> validators) {

  private static final String ROW = "%-28s %-9s %6s %9s %9s %9s %9s %9s %9s %9s %9s %6s %8s  %s";

  private static final String TENANT_ROW = "%-28s %12s %9s %15s %15s %9s";

  /** Fields of a tenant that has no quota. */
  private static final int UNLIMITED_TENANT_FIELDS = 5;

  /** Rates below are shown with a decimal. */
  private static final int FEW = 100;

  private static final int SECONDS_PER_MINUTE = 60;
  private static final int MILLIS_PER_SECOND = 1_000;

  /**
   * Status of one manager.
   *
   * @param address address of the request
   * @param answer its reply
   * @param problem reason for the lack of a reply; empty if there is one
   */
  public record Asked(String address, Optional<JsonNode> answer, String problem) {

    public String role() {
      return answer.map(node -> node.path("role").asText("?")).orElse("no answer");
    }
  }

  /** Report without validators. */
  public ManagersReport(Optional<ManagerRecord> record, List<Asked> asked) {
    this(record, asked, Optional.empty());
  }

  /** Returns true if a primary responds that may also serve requests. */
  boolean hasPrimary() {
    return asked.stream()
        .filter(one -> one.role().equals("primary"))
        .flatMap(one -> one.answer().stream())
        .anyMatch(answer -> answer.path("primary").path("leaseRemainingMillis").asLong() > 0);
  }

  /** Returns the report as one line of JSON. */
  String toJson() {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode root = mapper.createObjectNode();
    root.put("primary", hasPrimary());
    record.ifPresent(
        known -> {
          ObjectNode node = root.putObject("record");
          node.put("epoch", known.epoch());
          node.put("holder", known.holder());
          node.put("address", known.address());
          node.put("released", known.released());
          node.put("leaseDurationMillis", known.leaseDurationMillis());
          node.put("bound", known.bound());
          node.put("floor", known.floor());
          node.put("safePoint", known.safePoint());
        });
    ArrayNode managers = root.putArray("managers");
    for (Asked one : asked) {
      ObjectNode node = managers.addObject();
      node.put("address", one.address());
      one.answer()
          .ifPresentOrElse(
              answer -> node.set("status", answer), () -> node.put("problem", one.problem()));
    }
    return root.toString();
  }

  /** Returns the report as a table. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        record
            .map(
                known ->
                    "Record: epoch "
                        + known.epoch()
                        + " of "
                        + known.holder()
                        + (known.released() ? ", lease given back" : "")
                        + ", floor "
                        + known.floor()
                        + ", safe point "
                        + known.safePoint())
            .orElse("Record: none; no transaction manager has ever run here"));
    if (asked.isEmpty()) {
      lines.add("No transaction manager is registered; 'lampone tm run' starts one.");
      return lines;
    }
    lines.add("");
    lines.add(
        String.format(
            Locale.ROOT,
            ROW,
            "ADDRESS",
            "ROLE",
            "EPOCH",
            "LEASE MS",
            "BEGIN/S",
            "VALID/S",
            "CONFL/S",
            "REFUSE/S",
            "CONFL",
            "DECIS",
            "LAG",
            "HOLDS",
            "CLIENTS",
            "NOTE"));
    for (Asked one : asked) {
      lines.add(one.answer().map(answer -> row(one, answer)).orElseGet(() -> silent(one)));
    }
    asked.stream()
        .filter(one -> one.role().equals("primary"))
        .flatMap(one -> one.answer().stream())
        .forEach(answer -> lines.addAll(tenants(answer.path("tenants"))));
    if (!hasPrimary()) {
      lines.add("");
      lines.add(
          asked.stream().anyMatch(one -> one.role().equals("primary"))
              ? "The primary has no lease: it refuses all requests."
              : "No primary answers.");
    }
    return lines;
  }

  /** Returns the lines of tenants; empty while none has a quota. */
  private static List<String> tenants(JsonNode tenants) {
    List<String> lines = new ArrayList<>();
    boolean limited = false;
    for (JsonNode tenant : tenants) {
      limited |= tenant.size() > UNLIMITED_TENANT_FIELDS;
      lines.add(
          String.format(
              Locale.ROOT,
              TENANT_ROW,
              tenant.path("name").asText(),
              tenant.path("requests").asText(),
              tenant.path("requestsPerSecondQuota").asText("-"),
              of(tenant, "connections"),
              of(tenant, "outstanding"),
              tenant.path("refusedFrames").asText()));
    }
    if (!limited) {
      return List.of();
    }
    lines.add(
        0,
        String.format(
            Locale.ROOT,
            TENANT_ROW,
            "TENANT",
            "REQUESTS",
            "QUOTA/S",
            "CONNECTIONS",
            "WAITING",
            "REFUSED"));
    lines.add(0, "");
    return lines;
  }

  /** Returns a tenant's amount and its quota. */
  private static String of(JsonNode tenant, String what) {
    JsonNode quota = tenant.path(what + "Quota");
    return tenant.path(what).asText() + (quota.isNumber() ? " of " + quota.asText() : "");
  }

  private static String row(Asked one, JsonNode answer) {
    JsonNode primary = answer.path("primary");
    boolean leads = one.role().equals("primary");
    return String.format(
        Locale.ROOT,
        ROW,
        one.address(),
        one.role(),
        leads ? answer.path("record").path("epoch").asText("-") : "-",
        primary.path("leaseRemainingMillis").asText("-"),
        leads ? rate(answer, "beginsPerSecond") : "-",
        leads ? rate(answer, "validationsPerSecond") : "-",
        leads ? rate(answer, "conflictsPerSecond") : "-",
        leads ? rate(answer, "refusalsPerSecond") : "-",
        fill(primary, "conflictEntries", "conflictCapacity"),
        fill(primary, "decisionEntries", "decisionCapacity"),
        primary.path("watermarkLagMillis").asLong(-1) < 0
            ? "-"
            : duration(primary.path("watermarkLagMillis").asLong()),
        primary.path("holds").asText("-"),
        answer.path("connections").asText("-"),
        note(answer));
  }

  private static String note(JsonNode answer) {
    List<String> notes = new ArrayList<>();
    if (draining(answer)) {
      notes.add("draining");
    }
    if (!answer.path("recordTrusted").asBoolean(true)) {
      notes.add("record not trusted");
    }
    if (!answer.path("clockComplaint").asText("").isEmpty()) {
      notes.add(answer.path("clockComplaint").asText());
    }
    JsonNode primary = answer.path("primary");
    if (primary.path("handingOver").asBoolean()) {
      notes.add("handing over");
    }
    if (primary.path("safePointPauseMillis").asLong() > 0) {
      notes.add("safe point rests " + duration(primary.path("safePointPauseMillis").asLong()));
    }
    if (primary.path("safePointLagMillis").asLong(-1) >= 0) {
      notes.add("safe point " + duration(primary.path("safePointLagMillis").asLong()) + " old");
    }
    JsonNode hold = primary.path("oldestHold");
    if (hold.isObject()) {
      notes.add(
          "oldest hold "
              + hold.path("owner").asText()
              + " "
              + hold.path("name").asText()
              + " "
              + duration(hold.path("lagMillis").asLong())
              + " old");
    }
    return String.join(", ", notes);
  }

  /** Formats a rate, with a decimal if it is low; older servers do not report it. */
  private static String rate(JsonNode answer, String name) {
    JsonNode perSecond = answer.path("traffic").path(name);
    if (!perSecond.isNumber()) {
      return "?";
    }
    return String.format(
        Locale.ROOT, perSecond.asDouble() < FEW ? "%.1f" : "%.0f", perSecond.asDouble());
  }

  static String duration(long millis) {
    long seconds = millis / MILLIS_PER_SECOND;
    return seconds < SECONDS_PER_MINUTE
        ? String.format(Locale.ROOT, "%.1f s", (double) millis / MILLIS_PER_SECOND)
        : seconds / SECONDS_PER_MINUTE + " min";
  }

  /** Returns true if one must not become or remain primary. */
  public static boolean draining(JsonNode answer) {
    return answer.path("draining").asBoolean();
  }

  /** Returns the fill level of a table, in percent. */
  private static String fill(JsonNode primary, String entries, String capacity) {
    double most = primary.path(capacity).asDouble();
    return most == 0
        ? "-"
        : String.format(Locale.ROOT, "%.1f %%", 100 * primary.path(entries).asDouble() / most);
  }

  private static String silent(Asked one) {
    return String.format(
        Locale.ROOT,
        ROW,
        one.address(),
        one.role(),
        "-",
        "-",
        "-",
        "-",
        "-",
        "-",
        "-",
        "-",
        "-",
        "-",
        "-",
        one.problem());
  }
}
