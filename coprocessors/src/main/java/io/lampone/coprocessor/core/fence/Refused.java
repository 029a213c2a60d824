package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.Refusal;

/** A rule says no. Nothing has been changed by the request that met it. */
public final class Refused extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient Refusal refusal;

  public Refused(Refusal refusal) {
    super(refusal.toText(), null, false, false);
    this.refusal = refusal;
  }

  /** A refusal that concerns no row in particular. */
  public static Refused because(Refusal.Code code, String detail) {
    return new Refused(Refusal.of(code, detail));
  }

  /** A refusal because of {@code row}. */
  public static Refused because(Refusal.Code code, Bytes row, String detail) {
    return new Refused(new Refusal(code, detail, 0, row));
  }

  /** Why. */
  public Refusal refusal() {
    return refusal;
  }
}
