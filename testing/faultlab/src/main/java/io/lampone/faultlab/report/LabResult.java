package io.lampone.faultlab.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The last line of a run. Scripts rely on these names.
 *
 * @param checked transactions that were checked
 * @param anomalies of the checker and of the workloads' checks
 * @param faults that were really done
 * @param unknown transactions whose outcome the client never knew
 * @param recoveryP99Millis time until clients made progress again after a fault
 * @param kindsNotDone requested kinds of faults, of which none was done
 * @param events counts of protocol events by name, without zeros
 * @param neverSeen events that a long run must see and that did not happen
 */
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
    return new ObjectMapper().valueToTree(this).toString();
  }

  /** Reads the format of {@link #toJson}. */
  public static LabResult parse(String line) {
    try {
      return new ObjectMapper().readValue(line, LabResult.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not the result of a lab, line=" + line, e);
    }
  }
}
