package io.lampone.client.core.status;

import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Fates of transactions whose intents earlier reads have met; later reads carry them. Dropping one
 * costs a round trip, never correctness. Thread-safe.
 */
public final class KnownFates {

  private static final int MAX_FATES = 256;

  private final Map<TransactionId, Fate> fates = new LinkedHashMap<>();

  /** Adds fates, and removes the oldest ones beyond the limit; returns those added. */
  public synchronized Map<TransactionId, Fate> add(Map<TransactionId, Fate> judged) {
    fates.putAll(judged);
    var oldest = fates.keySet().iterator();
    while (fates.size() > MAX_FATES) {
      oldest.next();
      oldest.remove();
    }
    return judged;
  }

  /** Returns a copy, oldest first. */
  public synchronized Map<TransactionId, Fate> all() {
    return fates.isEmpty() ? Map.of() : new LinkedHashMap<>(fates);
  }
}
