package io.lampone.console.core;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.check.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Findings of the last check, and of the last examination by the doctor. Immutable.
 *
 * @param checkedMillis wall time of the check; 0 if there was none yet
 */
public record FindingsView(
    List<Finding> findings, long checkedMillis, Optional<Examined> examined) {

  /** State before the first check. */
  public static final FindingsView NONE = new FindingsView(List.of(), 0, Optional.empty());

  /** Maximum number of findings written of each source. */
  static final int MAX_LISTED = 200;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double MILLIS_PER_SECOND = 1e3;

  /** Check whose findings describe a table each. */
  private static final String TABLE = "table";

  private static final String DOCTOR = "doctor";

  /** Beginning of what the doctor says of a finding that it has cured. */
  private static final Pattern CURED =
      Pattern.compile("settled|corrected|aborted|deleted|left alone: it has been settled");

  /**
   * Findings of the doctor.
   *
   * @param millis wall time of the examination
   * @param problem why they cannot be read, or are not complete; empty if neither
   */
  public record Examined(List<Finding> findings, long millis, String problem) {

    /** Returns the findings of the output of {@code lampone doctor --json} that are not cured. */
    public static Examined of(String lines, long millis) {
      List<Finding> findings = new ArrayList<>();
      boolean ended = false;
      try {
        for (String line : lines.lines().toList()) {
          JsonNode node = JSON.readTree(line);
          if (node.has("ailment")) {
            if (!node.has("fix")) {
              findings.add(ailment(node));
            } else if (CURED.matcher(node.path("fix").asText()).lookingAt()) {
              findings.remove(ailment(node));
            }
          } else if (node.has("error")) {
            findings.add(unread(node.path(TABLE).asText(), node.path("error").asText()));
          } else if (node.has("rows")) {
            ended = true;
            addSummary(node, findings);
          }
        }
      } catch (JsonProcessingException e) {
        if (!lines.startsWith("{")) {
          return unreadable("the doctor's file is no output of 'lampone doctor --json'");
        }
        ended = false; // in the middle of a line
      }
      return new Examined(findings, millis, ended ? "" : "the doctor has not ended");
    }

    private static Finding ailment(JsonNode node) {
      String place = node.path("place").asText();
      return Finding.fail(
          node.path("ailment").asText(),
          node.path(TABLE).asText() + (place.isEmpty() ? "" : " " + place),
          node.path("explanation").asText() + " " + node.path("detail").asText(),
          node.path("advice").asText());
    }

    private static void addSummary(JsonNode node, List<Finding> findings) {
      for (JsonNode table : node.path("failed")) {
        Predicate<Finding> same =
            each -> each.check().equals(DOCTOR) && each.subject().equals(table.asText());
        if (findings.stream().noneMatch(same)) {
          findings.add(unread(table.asText(), "not examined to its end"));
        }
      }
      if (node.has("noInspectionPass")) {
        findings.add(
            Finding.warn(
                DOCTOR,
                "",
                "region servers may have shown less: " + node.path("noInspectionPass").asText(),
                "run 'lampone doctor' as an administrator"));
      }
    }

    private static Finding unread(String table, String why) {
      return Finding.fail(DOCTOR, table, why, "run 'lampone doctor' again");
    }

    /** Returns an examination that cannot be read. */
    public static Examined unreadable(String problem) {
      return new Examined(List.of(), 0, problem);
    }
  }

  public FindingsView {
    findings = List.copyOf(findings);
  }

  /**
   * Writes problems first; tables apart, with their level and state.
   *
   * @param nowMillis wall time
   */
  public void writeTo(ObjectNode root, long nowMillis) {
    if (checkedMillis == 0) {
      root.putNull("findings");
      root.putNull("tables");
    } else {
      ArrayNode list = root.putArray("findings");
      List<Finding> problems =
          findings.stream().filter(each -> each.level() != Finding.Level.OK).toList();
      problems.stream()
          .sorted((one, other) -> other.level().compareTo(one.level()))
          .limit(MAX_LISTED)
          .forEach(each -> write(each, list.addObject()));
      ArrayNode tables = root.putArray("tables");
      findings.stream()
          .filter(each -> each.check().equals(TABLE) && !each.subject().isEmpty())
          .limit(MAX_LISTED)
          .forEach(each -> write(each, tables.addObject()));
      root.put("findingsOmitted", problems.size() - list.size());
      root.put("checksPassed", findings.size() - problems.size());
      root.put("checkedSecondsAgo", (nowMillis - checkedMillis) / MILLIS_PER_SECOND);
    }
    if (examined.isEmpty()) {
      root.putNull("doctor");
      return;
    }
    ObjectNode doctor = root.putObject("doctor").put("problem", examined.get().problem());
    doctor.put("found", examined.get().findings().size());
    doctor.put("secondsAgo", (nowMillis - examined.get().millis()) / MILLIS_PER_SECOND);
    ArrayNode list = doctor.putArray("findings");
    examined.get().findings().stream()
        .limit(MAX_LISTED)
        .forEach(each -> write(each, list.addObject()));
  }

  private static void write(Finding finding, ObjectNode node) {
    node.put("level", finding.level().text()).put("check", finding.check());
    node.put("subject", finding.subject()).put("found", finding.found());
    node.put("advice", finding.advice());
  }
}
