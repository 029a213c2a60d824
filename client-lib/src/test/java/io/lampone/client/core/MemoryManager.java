package io.lampone.client.core;

import io.lampone.client.core.step.Step;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A transaction manager in memory: exact conflict table, everything remembered. */
final class MemoryManager implements TransactionManager {

  long last = 1L << 60;
  final Map<Long, Long> recorded = new HashMap<>();
  final Map<Long, Validation> decisions = new HashMap<>();
  final java.util.List<Request> requests = new java.util.ArrayList<>();
  boolean forgetful;

  /** True while the clients of assigned transactions certify. */
  boolean certifying;

  @Override
  public CompletableFuture<Begin> begin() {
    long start = next();
    return CompletableFuture.completedFuture(
        new Begin(start, 1L << 60, Proofs.OPEN.grant(start, 0)));
  }

  @Override
  public CompletableFuture<Validation> validate(Request request) {
    requests.add(request);
    return CompletableFuture.completedFuture(
        decisions.computeIfAbsent(request.startTimestamp(), start -> decide(request)));
  }

  private Validation decide(Request request) {
    for (int i = 0; i < request.check().length; i++) {
      long seen = recorded.getOrDefault(request.check()[i], 0L);
      if (seen > request.startTimestamp()) {
        return new Validation.Conflict(i, seen);
      }
    }
    long commit = next();
    for (long hash : request.record()) {
      recorded.put(hash, commit);
    }
    Tag pass = Proofs.OPEN.pass(request.startTimestamp(), commit);
    return request.conditional()
        ? new Validation.Assigned(commit, pass)
        : new Validation.Passed(commit, pass);
  }

  @Override
  public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
    Validation decision = decisions.get(startTimestamp);
    Status status = new Status.NotRequested();
    if (forgetful) {
      status = new Status.Unknown(Optional.of(Proofs.OPEN.voided(startTimestamp)));
    } else if (decision instanceof Validation.Passed passed) {
      status = new Status.Passed(passed.commitTimestamp(), passed.proof());
    } else if (decision instanceof Validation.Assigned assigned) {
      status =
          new Status.Assigned(
              assigned.commitTimestamp(),
              certifying ? Optional.empty() : Optional.of(Proofs.OPEN.voided(startTimestamp)));
    } else if (decision instanceof Validation.Conflict) {
      status = new Status.Conflict(Proofs.OPEN.voided(startTimestamp));
    }
    return CompletableFuture.completedFuture(status);
  }

  long next() {
    last += 256;
    return last;
  }

  /** This one as a port: what is asked has happened when the step is there. */
  TransactionManagerPort port() {
    return new TransactionManagerPort() {
      @Override
      public Step<Begin> begin() {
        return Step.done(MemoryManager.this.begin().join());
      }

      @Override
      public Step<Validation> validate(Request request) {
        return Step.done(MemoryManager.this.validate(request).join());
      }

      @Override
      public Step<Status> status(long startTimestamp, long snapshot) {
        return Step.done(MemoryManager.this.status(startTimestamp, snapshot).join());
      }
    };
  }
}
