package io.lampone.benchmarks.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Plan of a comparison.
 *
 * @param contenders without controls, which are added automatically
 * @param classes of transactions
 * @param omidClassPath where Omid and the adapter for it are, if anywhere
 * @param folder for the data of the cluster; the caller deletes it
 * @param measured time measured, by whole rounds
 * @param warmUp time without results
 * @param slice time of one contender before the next one
 * @param threads of each client
 * @param rows in each table
 * @param valueBytes size of a value
 * @param seed of what transactions do and of the order of slices
 */
public record ComparePlan(
    Set<SystemUnderTest> contenders,
    List<TransactionClass> classes,
    Optional<String> omidClassPath,
    Path folder,
    Duration measured,
    Duration warmUp,
    Duration slice,
    int threads,
    int rows,
    int valueBytes,
    long seed) {

  /** Leaves out what cannot run. */
  public ComparePlan {
    EnumSet<SystemUnderTest> kept =
        EnumSet.of(SystemUnderTest.NATIVE, SystemUnderTest.NATIVE_AGAIN);
    for (SystemUnderTest contender : contenders) {
      if (!contender.isOmid() || omidClassPath.isPresent()) {
        kept.add(contender);
        contender.control().ifPresent(kept::add);
      }
    }
    contenders = Set.copyOf(kept);
    classes = List.copyOf(classes);
  }

  /** In their order, controls among them. */
  public List<SystemUnderTest> inOrder() {
    return contenders.stream().sorted().toList();
  }
}
