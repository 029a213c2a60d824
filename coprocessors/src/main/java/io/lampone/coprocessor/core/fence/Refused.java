package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.Refusal;

/** Signals that a rule refuses a request, which has changed nothing. */
public final class Refused extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient Refusal refusal;

  public Refused(Refusal refusal) {
    super(refusal.toText(), null, false, false);
    this.refusal = refusal;
  }

  /** Returns a refusal that concerns no particular row. */
  public static Refused because(Refusal.Code code, String detail) {
    return new Refused(Refusal.of(code, detail));
  }

  /** Returns a refusal because of {@code row}. */
  public static Refused because(Refusal.Code code, Bytes row, String detail) {
    return new Refused(new Refusal(code, detail, 0, row));
  }

  /** Returns the reason. */
  public Refusal refusal() {
    return refusal;
  }
}
