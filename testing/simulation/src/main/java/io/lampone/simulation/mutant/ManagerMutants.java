package io.lampone.simulation.mutant;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator.Request;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.simulation.manager.PassingManager;
import io.lampone.simulation.manager.RewritingTransport;
import io.lampone.simulation.world.Plan;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.RecordStore;
import io.lampone.tm.core.validation.BatchOutcome;
import io.lampone.tmclient.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;

/** Mistakes of the transaction manager, and of its clients. */
final class ManagerMutants {

  private ManagerMutants() {}

  static List<Mutant> all() {
    List<Mutant> all = new ArrayList<>(answers());
    all.addAll(questions());
    all.add(new Mutant("the lease is not checked after the answer was made", "D1", NoLease::new));
    all.addAll(clocks());
    all.add(sharedTables());
    all.add(
        records(
            "the bound is not made durable",
            "R10, D3",
            real ->
                new PassingRecords(real) {
                  @Override
                  public CompletableFuture<Swap> compareAndSet(long version, ManagerRecord next) {
                    return read()
                        .thenCompose(
                            old ->
                                old instanceof Reading.Present present
                                        && present.record().epoch() == next.epoch()
                                    ? super.compareAndSet(
                                        version, next.withBound(present.record().bound()))
                                    : super.compareAndSet(version, next));
                  }
                }));
    all.add(bounds("the bound in the record is none of our timestamps", "R13", bound -> bound + 1));
    all.add(
        bounds(
            "a new epoch begins below the bound of the last one",
            "R10",
            bound -> bound - Duration.ofDays(30).toNanos() / 256 * 256));
    return all;
  }

  private static Mutant sharedTables() {
    return new Mutant(
        "who fills the tables is not told apart",
        "A30",
        plan ->
            new Parts(plan) {
              @Override
              public String principal(String client) {
                return "";
              }
            });
  }

  private static List<Mutant> clocks() {
    return List.of(
        new Mutant(
            "a lease runs by the wall clock",
            "D2",
            plan ->
                new Parts(plan) {
                  @Override
                  public Clock managerClock(Clock clock) {
                    return new Clock() {
                      @Override
                      public long wallMillis() {
                        return clock.wallMillis();
                      }

                      @Override
                      public long monotonicNanos() {
                        return TimeUnit.MILLISECONDS.toNanos(clock.wallMillis());
                      }
                    };
                  }
                }),
        new Mutant(
            "a clock is compared with no others",
            "D11",
            plan ->
                new Parts(plan) {
                  @Override
                  public Duration clockLimit(Duration limit) {
                    return Duration.ZERO;
                  }
                }),
        new Mutant(
            "a hold ends before its owner is told that it does",
            "R8",
            plan ->
                new Parts(plan) {
                  @Override
                  public Duration hold(Duration asked) {
                    return asked.dividedBy(10);
                  }
                }));
  }

  private static List<Mutant> answers() {
    return List.of(
        Mutant.manager(
            "a refusal is taken for a conflict",
            "M4",
            real ->
                new PassingManager(real) {
                  @Override
                  public CompletableFuture<Validation> validate(Request request) {
                    return super.validate(request)
                        .thenApply(
                            answer ->
                                answer instanceof Validation.Refused
                                    ? new Validation.Conflict(0, request.startTimestamp())
                                    : answer);
                  }
                }),
        Mutant.status(
            "a decided transaction is taken for one that has not asked",
            "B2",
            status -> status instanceof Status.Passed ? new Status.NotRequested() : status),
        Mutant.status(
            "a forgotten transaction is taken for one that has not asked",
            "R6",
            status -> status instanceof Status.Unknown ? new Status.NotRequested() : status));
  }

  private static List<Mutant> questions() {
    return List.of(
        Mutant.manager(
            "a status question does not say for which snapshot",
            "M14",
            real ->
                new PassingManager(real) {
                  @Override
                  public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
                    return super.status(startTimestamp, startTimestamp);
                  }
                }),
        Mutant.manager(
            "the third begin of a client fails by an error of the client itself",
            "none",
            real ->
                new PassingManager(real) {
                  private int begun;

                  @Override
                  public CompletableFuture<Begin> begin() {
                    return ++begun == 3
                        ? CompletableFuture.failedFuture(new NoSuchElementException())
                        : super.begin();
                  }
                }),
        Mutant.validation(
            "conflicts are not checked for",
            "P4",
            asked ->
                new Request(
                    asked.startTimestamp(),
                    asked.grant(),
                    asked.firstSending(),
                    new long[0],
                    asked.record(),
                    asked.conditional())),
        new Mutant(
            "a repeated validation is sent as a first one",
            "A9",
            plan ->
                new Parts(plan) {
                  @Override
                  public Transport transport(Transport transport) {
                    return new RewritingTransport(transport, ManagerMutants::asFirst);
                  }
                }));
  }

  private static WireRequest asFirst(WireRequest request) {
    if (!(request instanceof WireRequest.Validate validate)) {
      return request;
    }
    Request asked = validate.request();
    return new WireRequest.Validate(
        validate.id(),
        new Request(
            asked.startTimestamp(),
            asked.grant(),
            true,
            asked.check(),
            asked.record(),
            asked.conditional()));
  }

  private static Mutant records(String name, String trap, UnaryOperator<RecordStore> change) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public RecordStore recordStore(RecordStore store) {
                return change.apply(store);
              }
            });
  }

  /** The bound is read otherwise than it is stored. */
  private static Mutant bounds(String name, String trap, LongUnaryOperator change) {
    return records(
        name,
        trap,
        real ->
            new PassingRecords(real) {
              @Override
              public CompletableFuture<Reading> read() {
                return super.read()
                    .thenApply(
                        old ->
                            old instanceof Reading.Present present
                                ? new Reading.Present(
                                    present.version(),
                                    present
                                        .record()
                                        .withBound(change.applyAsLong(present.record().bound())))
                                : old);
              }
            });
  }

  /** While a frame is handled its monotonic clock stands where it stood before. */
  private static final class NoLease extends Parts {

    private boolean handling;

    NoLease(Plan plan) {
      super(plan);
    }

    @Override
    public BatchOutcome handle(ManagerNode node, RequestCursor requests, ReplyWriter replies) {
      handling = true;
      try {
        return super.handle(node, requests, replies);
      } finally {
        handling = false;
      }
    }

    @Override
    public Clock managerClock(Clock clock) {
      return new Clock() {
        private long lastNanos = clock.monotonicNanos();

        @Override
        public long wallMillis() {
          return clock.wallMillis();
        }

        @Override
        public long monotonicNanos() {
          if (!handling) {
            lastNanos = clock.monotonicNanos();
          }
          return lastNanos;
        }
      };
    }
  }

  /** A store of the record that asks another. */
  private static class PassingRecords implements RecordStore {

    private final RecordStore store;

    PassingRecords(RecordStore store) {
      this.store = store;
    }

    @Override
    public CompletableFuture<Reading> read() {
      return store.read();
    }

    @Override
    public CompletableFuture<Swap> create(ManagerRecord record) {
      return store.create(record);
    }

    @Override
    public CompletableFuture<Swap> compareAndSet(long expectedVersion, ManagerRecord record) {
      return store.compareAndSet(expectedVersion, record);
    }
  }
}
