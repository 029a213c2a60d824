package io.lampone.client;

/** Answer of {@link LamponeClient#status}. */
public sealed interface TransactionOutcome {

  /** Committed. */
  record Committed(long commitTimestamp) implements TransactionOutcome {}

  /** Aborted: nothing of it was or will be visible. */
  record Aborted() implements TransactionOutcome {}

  /** Not ended: it has written intents, and its client may still be at work. */
  record Running() implements TransactionOutcome {}

  /** Older than the retention, or its leader is gone: nobody can say any more. */
  record TooOld() implements TransactionOutcome {}
}
