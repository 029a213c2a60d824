package io.lampone.client.core.failure;

import io.lampone.protocol.request.Refusal;
import org.jspecify.annotations.Nullable;

/** Signals that a region server refused a request and changed nothing. */
public final class StoreRefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient Refusal refusal;
  private final String table;

  public StoreRefusedException(String table, Refusal refusal, @Nullable Throwable cause) {
    super(refusal.toText(), cause);
    this.table = table;
    this.refusal = refusal;
  }

  /** Returns the store's refusal. */
  public Refusal refusal() {
    return refusal;
  }

  /** Returns the table of the request. */
  public String table() {
    return table;
  }
}
