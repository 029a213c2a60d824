package io.lampone.faultlab.work.client;

import io.lampone.faultlab.work.WorkloadKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Arguments of a client process: one round of work.
 *
 * @param site hbase-site.xml of the cluster
 * @param folder of its parts of the histories
 * @param number unique among the clients of the run
 * @param round whose tables are used
 * @param seed of its random choices
 * @param longestWaitMillis longest wait in the middle of a transaction; 0 = none
 * @param threadsEach threads for each workload
 * @param serializablePercent share of serializable ones among the transactions that write
 * @param workloads to run
 */
public record ClientPlan(
    Path site,
    Path folder,
    int number,
    long round,
    long seed,
    long longestWaitMillis,
    int threadsEach,
    int serializablePercent,
    List<WorkloadKind> workloads) {

  /** Between the parts of a history's file name. */
  private static final String PART = ".part-";

  public ClientPlan {
    workloads = List.copyOf(workloads);
  }

  /**
   * Returns limits that clients set themselves: two of three send their writes early, in small
   * requests, and one of these two lists only a part of its followers.
   */
  Map<String, String> limits() {
    return switch (number % 3) {
      case 0 ->
          Map.of(
              "lampone.client.buffer.bytes", "32768",
              "lampone.client.request.rows", "200");
      case 1 ->
          Map.of(
              "lampone.client.buffer.bytes", "8192",
              "lampone.client.request.bytes", "65536",
              "lampone.client.recorded.followers", "100",
              "lampone.client.scan.buffer.bytes", "20000");
      default -> Map.of();
    };
  }

  /** Arguments that {@link #parse} reads. */
  public List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("site=" + site);
    arguments.add("folder=" + folder);
    arguments.add("number=" + number);
    arguments.add("round=" + round);
    arguments.add("seed=" + seed);
    arguments.add("wait=" + longestWaitMillis);
    arguments.add("threads=" + threadsEach);
    arguments.add("serializable=" + serializablePercent);
    workloads.forEach(kind -> arguments.add("workload=" + kind.label()));
    return arguments;
  }

  static ClientPlan parse(List<String> arguments) {
    Map<String, List<String>> values = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      values
          .computeIfAbsent(argument.substring(0, equals), name -> new ArrayList<>())
          .add(argument.substring(equals + 1));
    }
    return new ClientPlan(
        Path.of(one(values, "site")),
        Path.of(one(values, "folder")),
        Integer.parseInt(one(values, "number")),
        Long.parseLong(one(values, "round")),
        Long.parseLong(one(values, "seed")),
        Long.parseLong(one(values, "wait")),
        Integer.parseInt(one(values, "threads")),
        Integer.parseInt(one(values, "serializable")),
        values.getOrDefault("workload", List.of()).stream()
            .map(label -> WorkloadKind.of(label).orElseThrow())
            .toList());
  }

  /** Returns the file in which the lab records the faults of the round. */
  public static Path faultPart(Path folder, WorkloadKind kind) {
    return folder.resolve(kind.label() + PART + "faults");
  }

  /** Returns the file in which a client records its operations of a workload. */
  public static Path part(Path folder, WorkloadKind kind, int number) {
    return folder.resolve(kind.label() + PART + number);
  }

  /** Returns true if a file is such a part. */
  public static boolean isPart(Path file, WorkloadKind kind) {
    String name = String.valueOf(file.getFileName());
    return name.startsWith(kind.label() + PART);
  }

  private static String one(Map<String, List<String>> values, String name) {
    List<String> found = values.getOrDefault(name, List.of());
    if (found.size() != 1) {
      throw new IllegalArgumentException(
          "a client needs each argument once, name=" + name + " given=" + Arrays.asList(found));
    }
    return found.get(0);
  }
}
