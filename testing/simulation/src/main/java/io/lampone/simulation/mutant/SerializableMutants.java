package io.lampone.simulation.mutant;

import io.lampone.coprocessor.core.visibility.Certification;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.Validator.Request;
import io.lampone.protocol.trust.Proofs;
import io.lampone.simulation.hbase.CertifySteps;
import io.lampone.simulation.manager.PassingManager;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

/** Mistakes that concern serializable transactions. */
final class SerializableMutants {

  private SerializableMutants() {}

  static List<Mutant> all() {
    return Stream.of(statuses(), validations(), certifications()).flatMap(List::stream).toList();
  }

  private static List<Mutant> statuses() {
    return List.of(
        Mutant.manager(
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
        Mutant.status(
            "an assigned transaction is taken for one that has not asked",
            "B2",
            status -> status instanceof Status.Assigned ? new Status.NotRequested() : status));
  }

  private static List<Mutant> validations() {
    return List.of(
        Mutant.validation(
            "a validation needs no grant",
            "A17",
            asked ->
                new Request(
                    asked.startTimestamp(),
                    Proofs.OPEN.grant(asked.startTimestamp(), 0),
                    asked.firstSending(),
                    asked.check(),
                    asked.record(),
                    asked.conditional())),
        Mutant.validation(
            "the transaction manager is not told of a condition",
            "Z1",
            asked ->
                new Request(
                    asked.startTimestamp(),
                    asked.grant(),
                    asked.firstSending(),
                    asked.check(),
                    asked.record())),
        Mutant.validation(
            "what a serializable transaction has read is not validated",
            "Z7",
            asked ->
                new Request(
                    asked.startTimestamp(),
                    asked.grant(),
                    asked.firstSending(),
                    asked.conditional() ? asked.record() : asked.check(),
                    asked.record(),
                    asked.conditional())));
  }

  private static List<Mutant> certifications() {
    return List.of(
        certifying(
            "nothing is certified",
            "Z3",
            real ->
                new CertifySteps(real) {
                  @Override
                  public long look() {
                    return 0;
                  }
                }),
        certifying(
            "a certification does not raise the clock",
            "Z4",
            real ->
                new CertifySteps(real) {
                  @Override
                  public void admit() {
                    // births below the commit timestamp may still come
                  }
                }),
        certifying(
            "a certification does not wait for writes that have drawn",
            "Z3",
            real ->
                new CertifySteps(real) {
                  @Override
                  public boolean waits() {
                    return false;
                  }
                }));
  }

  private static Mutant certifying(
      String name, String trap, Function<Certification, CertifySteps> change) {
    return new Mutant(
        name,
        trap,
        plan ->
            new Parts(plan) {
              @Override
              public CertifySteps certifying(Certification certification) {
                return change.apply(certification);
              }
            });
  }
}
