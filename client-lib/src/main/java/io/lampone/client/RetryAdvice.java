package io.lampone.client;

/** What an application may do after a failure. */
public enum RetryAdvice {
  /** The transaction has ended without a trace; a new one may succeed. {@code run} does this. */
  NEW_TRANSACTION,
  /** The outcome is not known: ask {@link LamponeClient#status} before doing anything again. */
  ASK_STATUS,
  /** The same thing would fail again. */
  NEVER
}
