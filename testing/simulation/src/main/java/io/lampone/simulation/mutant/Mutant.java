package io.lampone.simulation.mutant;

import io.lampone.client.core.TransactionStore;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.simulation.Simulation;
import io.lampone.simulation.hbase.FastReadSteps;
import io.lampone.simulation.manager.PassingManager;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * A planted mistake, and the trap that it stands for. It is planted at a seam between the
 * protocol's code and the simulated world; the code itself knows nothing of it.
 *
 * @param name of the mistake
 * @param trap as in the list of traps
 * @param seams with the mistake in one of them
 */
public record Mutant(String name, String trap, Simulation.Seams seams) {

  /** Mistake in the guards of an open region. */
  static Mutant guard(String name, String trap, UnaryOperator<RegionGuards> change) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public RegionGuards guards(RegionGuards guards) {
                return change.apply(guards);
              }
            });
  }

  /** Mistake of a rule of a region, which sees a stored row otherwise. */
  static Mutant row(
      String name, String trap, BiFunction<RegionRequest, StoredRow, StoredRow> change) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public StoredRow row(RegionRequest request, StoredRow row) {
                return change.apply(request, row);
              }
            });
  }

  /** Mistake in a read of the fast path or of an interval. */
  static Mutant fastRead(String name, String trap, FastReadSteps steps) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public FastReadSteps fastReads() {
                return steps;
              }
            });
  }

  /** Mistake in a client's calls for intents and commit entries. */
  static Mutant store(String name, String trap, UnaryOperator<TransactionStore> change) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public TransactionStore store(TransactionStore store) {
                return change.apply(store);
              }
            });
  }

  /** Mistake of the transaction manager as its clients see it. */
  static Mutant manager(String name, String trap, UnaryOperator<TransactionManager> change) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public TransactionManager manager(TransactionManager manager) {
                return change.apply(manager);
              }
            });
  }

  /** Mistake in the request for a commit timestamp. */
  static Mutant validation(String name, String trap, UnaryOperator<Validator.Request> change) {
    return manager(
        name,
        trap,
        real ->
            new PassingManager(real) {
              @Override
              public CompletableFuture<Validation> validate(Request request) {
                return super.validate(change.apply(request));
              }
            });
  }

  /** Mistake in the status of a transaction. */
  static Mutant status(String name, String trap, UnaryOperator<Status> change) {
    return manager(
        name,
        trap,
        real ->
            new PassingManager(real) {
              @Override
              public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
                return super.status(startTimestamp, snapshot).thenApply(change);
              }
            });
  }

  @Override
  public String toString() {
    return name;
  }
}
