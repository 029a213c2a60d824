package io.lampone.simulation.manager;

import io.lampone.protocol.tm.Member;
import io.lampone.simulation.world.Coordination;
import io.lampone.tm.core.Members;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** All validator processes of a run; none in most runs. Dead ones remain registered. */
public final class SimulatedValidators {

  private final List<SimulatedManager> processes = new ArrayList<>();

  /** Adds a process. */
  public void add(SimulatedManager process) {
    processes.add(process);
  }

  /** Returns the processes. */
  public List<SimulatedManager> processes() {
    return processes;
  }

  /**
   * Returns the incarnation of a validator.
   *
   * @param holder name of the process
   */
  public static long incarnationOf(String holder) {
    return holder.hashCode() * 1_000_003L;
  }

  SimulatedManager at(String address) {
    return processes.stream()
        .filter(process -> process.address().equals(address))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the registry as a transaction manager reaches it. */
  Members registry(SimulatedManager owner, Coordination coordination) {
    return new Members() {
      @Override
      public CompletableFuture<OptionalLong> join(Member me) {
        throw new UnsupportedOperationException();
      }

      @Override
      public CompletableFuture<Void> leave(Member me) {
        throw new UnsupportedOperationException();
      }

      @Override
      public CompletableFuture<List<Member>> list() {
        return coordination.operate(
            owner,
            () ->
                processes.stream()
                    .map(process -> new Member(process.name(), process.address(), 0, ""))
                    .toList());
      }

      @Override
      public CompletableFuture<List<Long>> clocksOfOthers(Member me) {
        throw new UnsupportedOperationException();
      }
    };
  }
}
