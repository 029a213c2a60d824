package io.lampone.protocol.tm;

import java.util.concurrent.CompletableFuture;

/** Tells what a transaction manager remembers of a transaction (protocol page, section 4.2). */
public interface StatusSource {

  /** Asks for the status of the transaction that began at {@code startTimestamp}. */
  CompletableFuture<Status> status(long startTimestamp);

  /** The answer. */
  sealed interface Status {

    /**
     * No commit request has been seen: a commit timestamp still to come exceeds every timestamp
     * issued so far. To the transaction itself this means nothing.
     */
    record NotRequested() implements Status {}

    /** Decided: may commit at this timestamp. */
    record Passed(long commitTimestamp) implements Status {}

    /** Decided: conflict. */
    record Conflict() implements Status {}

    /** Forgotten, or from before this transaction manager's time. */
    record Unknown() implements Status {}
  }
}
