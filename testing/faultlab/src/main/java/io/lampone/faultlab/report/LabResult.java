package io.lampone.faultlab.report;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The last line of a run. Scripts rely on these names.
 *
 * @param checked transactions that were judged
 * @param anomalies of the judge and of the workloads' own checks
 * @param faults that were really done
 * @param unknown transactions whose outcome the client never knew
 * @param recoveryP99Millis time until clients got on again after a fault
 * @param kindsNotDone kinds of faults that were asked for, and of which none was done
 * @param events how often each protocol event happened, by name; those that did not are left out
 * @param neverSeen events that a long run must see and that did not happen
 */
@JsonPropertyOrder({
  "checked",
  "anomalies",
  "faults",
  "unknown",
  "recoveryP99Millis",
  "kindsNotDone",
  "events",
  "neverSeen"
})
public record LabResult(
    long checked,
    long anomalies,
    int faults,
    long unknown,
    long recoveryP99Millis,
    int kindsNotDone,
    SortedMap<String, Long> events,
    List<String> neverSeen) {

  public LabResult {
    events = Collections.unmodifiableSortedMap(new TreeMap<>(events));
    neverSeen = List.copyOf(neverSeen);
  }

  /** Without events. */
  public LabResult(
      long checked,
      long anomalies,
      int faults,
      long unknown,
      long recoveryP99Millis,
      int kindsNotDone) {
    this(
        checked,
        anomalies,
        faults,
        unknown,
        recoveryP99Millis,
        kindsNotDone,
        new TreeMap<>(),
        List.of());
  }

  /** One line. */
  public String toJson() {
    try {
      return new ObjectMapper().writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a record of numbers and names has no JSON", e);
    }
  }

  /** Reads what {@link #toJson} wrote. */
  public static LabResult parse(String line) {
    try {
      return new ObjectMapper().readValue(line, LabResult.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not the result of a lab, line=" + line, e);
    }
  }
}
