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
 * @param classes classes of transactions
 * @param omidClassPath class path of Omid and its adapter, if available
 * @param folder data of the cluster; the caller deletes it
 * @param measured time measured, by whole rounds
 * @param warmUp time without results
 * @param slice time of one contender before the next one
 * @param threads threads of each client
 * @param rows rows in each table
 * @param valueBytes size of a value
 * @param theta parameter of the Zipf distribution of rows
 * @param validators validators beside the transaction manager; their processor time is that of
 *     other processes
 * @param serializable whether Lampone's transactions are serializable
 * @param seed seed of the transactions and of the order of slices
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
    double theta,
    int validators,
    boolean serializable,
    long seed) {

  /** Removes contenders that cannot run. */
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

  /** Returns the contenders in their order, controls included. */
  public List<SystemUnderTest> inOrder() {
    return contenders.stream().sorted().toList();
  }
}
