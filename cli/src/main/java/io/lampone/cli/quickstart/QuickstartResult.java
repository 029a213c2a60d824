package io.lampone.cli.quickstart;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * The last line of {@code quickstart --json}. Scripts rely on these names.
 *
 * @param transfers committed transfers
 * @param aborts transfers that met a conflict and were run again
 * @param audits complete scans while money moved
 * @param sumConstant whether every one of them, and the last one, saw the same sum
 * @param clientsKilled clients that were killed between their intents and their commit
 * @param unresolvedIntents rows in the end that a new reader could not read in time
 * @param secondsToFirstTransaction from the start of this process
 */
@JsonPropertyOrder({
  "transfers",
  "aborts",
  "audits",
  "sumConstant",
  "clientsKilled",
  "unresolvedIntents",
  "secondsToFirstTransaction"
})
record QuickstartResult(
    long transfers,
    long aborts,
    long audits,
    boolean sumConstant,
    int clientsKilled,
    int unresolvedIntents,
    double secondsToFirstTransaction) {

  /** One line. */
  String toJson() {
    try {
      return new ObjectMapper().writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a record of numbers has no JSON", e);
    }
  }
}
