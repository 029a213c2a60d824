package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.visibility.Certification;
import java.io.IOException;

/** Certification in a region, step by step; a mutant omits or reorders steps. */
public interface CertifySteps {

  /** Checks the request and raises the clock. */
  void admit();

  /** Returns true if it waits for writes that have drawn and are not visible. */
  boolean waits();

  long look();

  /** Checks that the certification read all that is there. */
  void confirm();

  static CertifySteps of(Certification real) {
    return new Passing(real);
  }

  /** The real one. */
  final class Passing implements CertifySteps {

    private final Certification real;

    private Passing(Certification real) {
      this.real = real;
    }

    @Override
    public void admit() {
      real.admit();
    }

    @Override
    public boolean waits() {
      return true;
    }

    @Override
    public long look() {
      try {
        return real.look();
      } catch (IOException e) {
        throw new IllegalStateException("a simulated row can always be read", e);
      }
    }

    @Override
    public void confirm() {
      real.confirm();
    }
  }
}
