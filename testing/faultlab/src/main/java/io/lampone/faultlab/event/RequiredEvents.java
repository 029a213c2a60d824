package io.lampone.faultlab.event;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Events that a long run must have seen, and those that no run may see. Each line of the file names
 * one; labels of workloads and faults behind a colon say that only a run with one of these must
 * have seen it, and a second group behind another colon that it needs one of those as well.
 *
 * <pre>
 *   client.refused.undecided
 *   manager.validations-refused.below-floor: kill rolling hand-over
 *   client.one-region-commit.busy: large mix: kill client-kill
 * </pre>
 */
public final class RequiredEvents {

  /** Label of a run with serializable transactions that write. */
  public static final String SERIALIZABLE = "serializable";

  /** Label of a run with validators besides the primary. */
  public static final String VALIDATORS = "validators";

  /** Label of a round in which data can be collected. */
  public static final String SHORT_RETENTION = "short-retention";

  private static final String RESOURCE = "required-events.txt";
  private static final String FORBIDDEN = "forbidden-events.txt";

  private record Requirement(String event, List<Set<String>> oneOfEach) {

    boolean concerns(Set<String> labels) {
      return oneOfEach.stream().allMatch(some -> some.stream().anyMatch(labels::contains));
    }
  }

  private final List<Requirement> all;

  private RequiredEvents(List<Requirement> all) {
    this.all = List.copyOf(all);
  }

  /** Reads the list of the lab. */
  public static RequiredEvents read() {
    return parse(lines(RESOURCE));
  }

  /** Returns the events that must not happen and did. */
  public static List<String> forbidden(EventCounts seen) {
    return parse(lines(FORBIDDEN)).all.stream()
        .map(Requirement::event)
        .filter(seen.counts()::containsKey)
        .toList();
  }

  private static List<String> lines(String resource) {
    try (InputStream in = RequiredEvents.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("not in the class path, resource=" + resource);
      }
      return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("resource=" + resource, e);
    }
  }

  static RequiredEvents parse(List<String> lines) {
    List<Requirement> all = new ArrayList<>();
    for (String line : lines) {
      if (!line.isBlank() && !line.startsWith("#")) {
        List<String> parts = Arrays.stream(line.split(":", -1)).map(String::strip).toList();
        all.add(
            new Requirement(
                parts.get(0),
                parts.stream().skip(1).map(text -> Set.of(text.split(" +", -1))).toList()));
      }
    }
    return new RequiredEvents(all);
  }

  /**
   * Returns the required events that were never seen.
   *
   * @param labels of the run: {@code LabPlan.labels}
   */
  public List<String> neverSeen(EventCounts seen, List<String> labels) {
    Set<String> present = new HashSet<>(labels);
    return all.stream()
        .filter(each -> each.concerns(present) && !seen.counts().containsKey(each.event()))
        .map(Requirement::event)
        .toList();
  }

  /** Returns the labels that the list names. */
  Set<String> labels() {
    Set<String> labels = new HashSet<>();
    all.forEach(each -> each.oneOfEach().forEach(labels::addAll));
    return labels;
  }
}
