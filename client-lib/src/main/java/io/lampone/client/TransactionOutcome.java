package io.lampone.client;

/** Result of {@link LamponeClient#status}. */
public sealed interface TransactionOutcome {

  /** Committed. */
  record Committed(long commitTimestamp) implements TransactionOutcome {}

  /** Aborted: none of its writes was or will be visible. */
  record Aborted() implements TransactionOutcome {}

  /** In progress: it has written intents, and its client may still be active. */
  record Running() implements TransactionOutcome {}

  /** Unknown: older than the retention, or its leader no longer exists. */
  record TooOld() implements TransactionOutcome {}
}
