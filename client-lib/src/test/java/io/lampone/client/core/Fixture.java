package io.lampone.client.core;

import io.lampone.client.core.OpenTransaction.Services;
import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.core.progress.ProgressReporter;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.step.Step;
import io.lampone.client.core.vote.Reserver;
import io.lampone.client.driver.Driver;
import io.lampone.client.driver.Timer;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator.Request;
import io.lampone.protocol.tm.Validator.Validation;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** The client's decisions over a store and a transaction manager in memory, in one thread. */
final class Fixture {

  static final Duration TIMEOUT = Duration.ofSeconds(30);
  static final Bytes FAMILY = Bytes.utf8("f");

  /** A clock that waiting moves. */
  static final class ManualClock implements Clock, Timer {
    long nanos;

    @Override
    public long wallMillis() {
      throw new UnsupportedOperationException("no decision of the client reads the wall clock");
    }

    @Override
    public long monotonicNanos() {
      return nanos;
    }

    @Override
    public CompletableFuture<Void> after(Duration delay) {
      nanos += Math.max(delay.toNanos(), 1_000_000);
      return CompletableFuture.completedFuture(null);
    }
  }

  final ManualClock clock = new ManualClock();
  final MemoryStore memory = new MemoryStore();
  final MemoryManager manager = new MemoryManager();
  final Session session = new Session();
  final MemoryFastPath fast = new MemoryFastPath(memory, manager);
  final Services services;

  Fixture() {
    this(TransactionLimits.DEFAULT);
  }

  Fixture(TransactionLimits limits) {
    services = services(memory, manager.port()::validate, limits);
  }

  /** Services over another store and validator than the plain ones in memory. */
  Services services(TransactionStore store, Validates validator, TransactionLimits limits) {
    PostCommit postCommit = new PostCommit(store, 1000);
    return new Services(
        store,
        new IntentResolver(store, manager.port(), postCommit),
        new CommitProtocol(store, validating(validator), new Random(1), noReports()),
        postCommit,
        clock,
        limits,
        session,
        oneRegion(fast),
        TransactionTrace.NONE,
        Reserver.NONE);
  }

  /** Reports nothing. */
  static ProgressReporter noReports() {
    return new ProgressReporter(
        report -> Step.failed(new IllegalStateException("reports")),
        List::of,
        now -> List.of(),
        TreeMap::new);
  }

  /** Answers validations. */
  interface Validates {
    Step<Validation> validate(Request request);
  }

  /** The manager in memory with other validations. */
  TransactionManagerPort validating(Validates validator) {
    TransactionManagerPort port = manager.port();
    return new TransactionManagerPort() {
      @Override
      public Step<Begin> begin() {
        return port.begin();
      }

      @Override
      public Step<Validation> validate(Request request) {
        return validator.validate(request);
      }

      @Override
      public Step<Status> status(long startTimestamp, long snapshot) {
        return port.status(startTimestamp, snapshot);
      }
    };
  }

  /** Runs a machine; waits move the clock. */
  <T> CompletableFuture<T> start(Step<T> machine) {
    return new Driver(clock, clock).start(machine);
  }

  /** The same; gives the outcome. */
  <T> T join(Step<T> machine) {
    return start(machine).join();
  }

  /** The same services with another way to the regions. */
  Services services(FastPathStore fastStore) {
    return services(services, fastStore);
  }

  Services services(Services other, FastPathStore fastStore) {
    return new Services(
        other.store(),
        other.resolver(),
        other.protocol(),
        other.postCommit(),
        clock,
        other.limits(),
        session,
        oneRegion(fastStore),
        TransactionTrace.NONE,
        Reserver.NONE);
  }

  OneRegionCommitter oneRegion(FastPathStore fastStore) {
    return new OneRegionCommitter(
        fastStore,
        fates(fastStore),
        session,
        new Random(1),
        new OneRegionCommitter.Limits(1000, 1 << 20));
  }

  OperationStatusLookup fates(FastPathStore fastStore) {
    return new OperationStatusLookup(fastStore, session, new Random(1));
  }

  FastPathWrites writes(FastPathStore fastStore, TransactionStore store, Duration patience) {
    return new FastPathWrites(
        fastStore,
        new BlockerResolver(store, manager.port()),
        fates(fastStore),
        session,
        new Random(1),
        patience);
  }

  long deadline() {
    return clock.nanos + TIMEOUT.toNanos();
  }

  OpenTransaction begin() {
    return begin(services);
  }

  OpenTransaction begin(Services with) {
    return begin(with, false);
  }

  OpenTransaction begin(Services with, boolean oneRegionCommit) {
    return begin(with, new TransactionMode(false, true, oneRegionCommit));
  }

  OpenTransaction begin(Services with, TransactionMode mode) {
    return new OpenTransaction(manager.begin().join(), mode, with, deadline());
  }

  /** A serializable one, which commits by intents and validation. */
  OpenTransaction beginSerializable() {
    return begin(services, new TransactionMode(false, true, false, true));
  }

  /** A serializable one, which commits in one region where it may. */
  OpenTransaction beginSerializableInOneRegion() {
    return begin(services, new TransactionMode(false, true, true, true));
  }

  static RowFamily place(String row) {
    return new RowFamily("t", Bytes.utf8(row), FAMILY);
  }

  private static void run(Step<Void> machine) {
    ManualClock clock = new ManualClock();
    new Driver(clock, clock).start(machine).join();
  }

  static void put(OpenTransaction transaction, String row, String qualifier, String value) {
    run(
        transaction.write(
            ConflictLevel.ROW,
            place(row),
            List.of(
                new Write(
                    IntentKind.PUT,
                    Bytes.utf8(qualifier),
                    Bytes.utf8(value),
                    FamilyRetention.FOREVER))));
  }

  static void delete(OpenTransaction transaction, String row, String qualifier) {
    run(
        transaction.write(
            ConflictLevel.ROW,
            place(row),
            List.of(
                new Write(
                    IntentKind.DELETE_COLUMN,
                    Bytes.utf8(qualifier),
                    Bytes.EMPTY,
                    FamilyRetention.FOREVER))));
  }
}
