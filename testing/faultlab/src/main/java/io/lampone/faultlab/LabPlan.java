package io.lampone.faultlab;

import io.lampone.faultlab.event.RequiredEvents;
import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.work.WorkloadKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;

/**
 * Plan of a run of the lab.
 *
 * @param length how long clients work while faults happen
 * @param seed of the schedule and of the clients' choices
 * @param workloads of the clients, all at once
 * @param faults kinds of faults to inject
 * @param folder absent or empty; all files stay there
 * @param size of the cluster
 * @param enough minimum for which a run on a slow machine lasts longer than {@code length}
 * @param serializablePercent share of serializable ones among the transactions that write
 */
public record LabPlan(
    Duration length,
    long seed,
    List<WorkloadKind> workloads,
    List<FaultKind> faults,
    Path folder,
    LabSize size,
    RunTarget enough,
    int serializablePercent) {

  /** The longest run: more would not fit into the memory of the judge. */
  public static final Duration LONGEST = Duration.ofHours(2);

  /** Shortest useful run: the first fault comes after some seconds, and must end. */
  public static final Duration SHORTEST = Duration.ofSeconds(15);

  /** Shortest run without faults. */
  public static final Duration SHORTEST_WITHOUT_FAULTS = Duration.ofSeconds(5);

  private static final int ALL_PERCENT = 100;

  /**
   * Checks the plan.
   *
   * @throws IllegalArgumentException if there cannot be such a run
   */
  public LabPlan {
    Duration shortest = faults.isEmpty() ? SHORTEST_WITHOUT_FAULTS : SHORTEST;
    if (length.compareTo(shortest) < 0 || length.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "length must be between " + shortest + " and " + LONGEST + ", length=" + length);
    }
    if (workloads.isEmpty()) {
      throw new IllegalArgumentException("no workload: nothing would be shown");
    }
    if (serializablePercent < 0 || serializablePercent > ALL_PERCENT) {
      throw new IllegalArgumentException(
          "serializable transactions must be 0 to 100 percent, percent=" + serializablePercent);
    }
    List<FaultKind> ofValidators = faults.stream().filter(FaultKind::needsValidators).toList();
    if (size.validators() == 0 && !ofValidators.isEmpty()) {
      throw new IllegalArgumentException("these faults need --validators, faults=" + ofValidators);
    }
    workloads = List.copyOf(workloads);
    faults = List.copyOf(faults);
    folder = folder.toAbsolutePath().normalize();
  }

  /** With snapshot isolation only. */
  public LabPlan(
      Duration length,
      long seed,
      List<WorkloadKind> workloads,
      List<FaultKind> faults,
      Path folder,
      LabSize size,
      RunTarget enough) {
    this(length, seed, workloads, faults, folder, size, enough, 0);
  }

  /** The tables of a workload: others for each seed, because a lab may have many rounds. */
  List<TableName> tables(WorkloadKind kind) {
    return kind.tables(seed);
  }

  /** The same with other faults, another seed and another folder. */
  LabPlan with(List<FaultKind> otherFaults, long otherSeed, Path otherFolder) {
    return new LabPlan(
        length, otherSeed, workloads, otherFaults, otherFolder, size, enough, serializablePercent);
  }

  /** Returns how long snapshots stay readable, which depends on the seed. */
  RoundRetention retention() {
    return RoundRetention.draw(seed);
  }

  /** Returns the folder for the histories of the clients. */
  Path parts() {
    return folder.resolve("parts");
  }

  /** Returns the labels of its workloads and faults, and of what else decides on its events. */
  List<String> labels() {
    List<String> labels = new ArrayList<>(workloads.stream().map(WorkloadKind::label).toList());
    faults.forEach(fault -> labels.add(fault.label()));
    if (serializablePercent > 0) {
      labels.add(RequiredEvents.SERIALIZABLE);
    }
    if (size.validators() > 0) {
      labels.add(RequiredEvents.VALIDATORS);
    }
    return labels;
  }

  /** All tables. */
  List<TableName> tables() {
    return workloads.stream().flatMap(kind -> tables(kind).stream()).toList();
  }

  /** Returns true if all transactions that write are serializable. */
  boolean isSerializable() {
    return serializablePercent == ALL_PERCENT;
  }

  /** Returns the longest duration of the run if its target is not reached. */
  Duration longest() {
    return enough.equals(RunTarget.ANYTHING) ? length : length.multipliedBy(RunTarget.LONGER);
  }

  /** Arguments that {@link #parse} reads, for another process. */
  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("seconds=" + length.toSeconds());
    arguments.add("seed=" + seed);
    arguments.add("folder=" + folder);
    arguments.add("size=" + size);
    arguments.add("enough=" + enough);
    arguments.add("serializable=" + serializablePercent);
    arguments.add(
        "workload=" + String.join(",", workloads.stream().map(WorkloadKind::label).toList()));
    arguments.add("faults=" + String.join(",", faults.stream().map(FaultKind::label).toList()));
    return arguments;
  }

  /** Reads {@link #arguments}. */
  static LabPlan parse(List<String> arguments) {
    Map<String, String> values = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      values.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    return parse(values);
  }

  static LabPlan parse(Map<String, String> arguments) {
    return new LabPlan(
        Duration.ofSeconds(Long.parseLong(arguments.getOrDefault("seconds", "0"))),
        Long.parseLong(arguments.getOrDefault("seed", "0")),
        words(arguments.getOrDefault("workload", "")).stream()
            .map(label -> WorkloadKind.of(label).orElseThrow())
            .toList(),
        words(arguments.getOrDefault("faults", "")).stream()
            .map(label -> FaultKind.of(label).orElseThrow())
            .toList(),
        Path.of(arguments.getOrDefault("folder", "")),
        LabSize.parse(arguments.getOrDefault("size", "")),
        RunTarget.parse(arguments.getOrDefault("enough", "")),
        Integer.parseInt(arguments.getOrDefault("serializable", "0")));
  }

  private static List<String> words(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
  }
}
