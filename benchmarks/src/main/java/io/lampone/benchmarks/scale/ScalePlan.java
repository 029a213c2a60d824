package io.lampone.benchmarks.scale;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Plan of the sweeps.
 *
 * @param steps by sweep, in rising order
 * @param kind kind of an operation, where it is not varied
 * @param folder data of the cluster; the caller deletes it
 * @param warmUp time that all contestants run in turns before the first sweep, on all processors
 * @param slice time of one contestant before the next one
 * @param rounds rounds of all steps and contestants; one more is discarded
 * @param rows rows of the table, where they are not varied
 * @param threads threads of the client, where several are needed and not varied
 * @param valueBytes size of a value
 * @param managerQuotaPercent percentage of a processor that the transaction manager may use while
 *     its load is varied; 0 for no limit
 * @param seed seed of the operations
 */
public record ScalePlan(
    Map<Sweep, List<Integer>> steps,
    Kind kind,
    Path folder,
    Duration warmUp,
    Duration slice,
    int rounds,
    int rows,
    int threads,
    int valueBytes,
    int managerQuotaPercent,
    long seed) {

  public ScalePlan {
    steps = Map.copyOf(steps);
  }

  boolean hasManagerQuota() {
    return managerQuotaPercent > 0 && steps.containsKey(Sweep.MANAGER);
  }

  /** Region servers that are needed. */
  int regionServers() {
    return steps.getOrDefault(Sweep.SERVERS, List.of(2)).stream().mapToInt(n -> n).max().orElse(1);
  }
}
