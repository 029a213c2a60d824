package io.lampone.simulation.mutant;

import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.simulation.hbase.CertifySteps;
import io.lampone.simulation.manager.PassingManager;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Mistakes that concern serializable transactions. */
final class SerializableMutants {

  private SerializableMutants() {}

  static List<Mutant> all() {
    return Stream.of(statuses(), validations(), certifications()).flatMap(List::stream).toList();
  }

  private static List<Mutant> statuses() {
    return List.of(
        manager(
            "an assigned transaction is taken for one that has passed",
            "Z1",
            real ->
                new PassingManager(real) {
                  @Override
                  public CompletableFuture<Status> status(long start, long snapshot) {
                    return super.status(start, snapshot)
                        .thenApply(
                            status ->
                                status instanceof Status.Assigned assigned
                                    ? new Status.Passed(
                                        assigned.commitTimestamp(),
                                        Proofs.OPEN.pass(start, assigned.commitTimestamp()))
                                    : status);
                  }
                }),
        manager(
            "an assigned transaction is taken for one that has not asked",
            "B2",
            real ->
                new PassingManager(real) {
                  @Override
                  public CompletableFuture<Status> status(long start, long snapshot) {
                    return super.status(start, snapshot)
                        .thenApply(
                            status ->
                                status instanceof Status.Assigned
                                    ? new Status.NotRequested()
                                    : status);
                  }
                }));
  }

  private static List<Mutant> validations() {
    return List.of(
        manager(
            "a validation needs no grant",
            "A17",
            real ->
                new PassingManager(real) {
                  @Override
                  public CompletableFuture<Validation> validate(Request asked) {
                    return super.validate(
                        new Request(
                            asked.startTimestamp(),
                            Proofs.OPEN.grant(asked.startTimestamp(), 0),
                            asked.firstSending(),
                            asked.check(),
                            asked.record(),
                            asked.conditional()));
                  }
                }),
        manager(
            "the transaction manager is not told of a condition",
            "Z1",
            real ->
                new PassingManager(real) {
                  @Override
                  public CompletableFuture<Validation> validate(Request asked) {
                    return super.validate(
                        new Request(
                            asked.startTimestamp(),
                            asked.grant(),
                            asked.firstSending(),
                            asked.check(),
                            asked.record()));
                  }
                }),
        manager(
            "what a serializable transaction has read is not validated",
            "Z7",
            real ->
                new PassingManager(real) {
                  @Override
                  public CompletableFuture<Validation> validate(Request asked) {
                    return super.validate(
                        new Request(
                            asked.startTimestamp(),
                            asked.grant(),
                            asked.firstSending(),
                            asked.conditional() ? asked.record() : asked.check(),
                            asked.record(),
                            asked.conditional()));
                  }
                }));
  }

  private static List<Mutant> certifications() {
    return List.of(
        certifying(
            "nothing is certified",
            "Z3",
            real ->
                new Passing(real) {
                  @Override
                  public long look() {
                    return 0;
                  }
                }),
        certifying(
            "a certification does not raise the clock",
            "Z4",
            real ->
                new Passing(real) {
                  @Override
                  public void admit() {
                    // births below the commit timestamp may still come
                  }
                }),
        certifying(
            "a certification does not wait for writes that have drawn",
            "Z3",
            real ->
                new Passing(real) {
                  @Override
                  public boolean waits() {
                    return false;
                  }
                }));
  }

  private static Mutant manager(
      String name, String trap, UnaryOperator<TransactionManager> change) {
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

  private static Mutant certifying(String name, String trap, UnaryOperator<CertifySteps> change) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public CertifySteps certifying(CertifySteps steps) {
                return change.apply(steps);
              }
            });
  }

  /** The steps of another certification. */
  private static class Passing implements CertifySteps {

    private final CertifySteps real;

    Passing(CertifySteps real) {
      this.real = real;
    }

    @Override
    public void admit() {
      real.admit();
    }

    @Override
    public boolean waits() {
      return real.waits();
    }

    @Override
    public long look() {
      return real.look();
    }

    @Override
    public void confirm() {
      real.confirm();
    }
  }
}
