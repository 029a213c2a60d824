package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.visibility.Certification;
import java.io.IOException;

/** Certification in a region, step by step; a mutant omits or reorders steps. */
public class CertifySteps {

  private final Certification certification;

  public CertifySteps(Certification certification) {
    this.certification = certification;
  }

  /** Checks the request and raises the clock. */
  public void admit() {
    certification.admit();
  }

  /** Returns true if it waits for writes that have drawn and are not visible. */
  public boolean waits() {
    return true;
  }

  /** Returns a birth in the interval; 0 if there is none. */
  public long look() {
    try {
      return certification.look();
    } catch (IOException e) {
      throw new IllegalStateException("a simulated row can always be read", e);
    }
  }

  /** Checks that the certification read all that is there. */
  public void confirm() {
    certification.confirm();
  }
}
