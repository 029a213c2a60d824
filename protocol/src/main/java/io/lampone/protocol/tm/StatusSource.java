package io.lampone.protocol.tm;

import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Source of statuses that a transaction manager remembers (protocol page, section 5). */
public interface StatusSource {

  /** Snapshot of a caller that will not skip an intent because of the answer. */
  long NO_SNAPSHOT = 0;

  /**
   * Returns the status of the transaction that began at {@code startTimestamp}.
   *
   * @param snapshot the snapshot of the reader that met the intent, or {@link #NO_SNAPSHOT}. The
   *     transaction manager compares it with its bound [M14]: a superseded one must not answer
   *     "commit timestamp still to come" for a transaction that it may yet validate to a reader
   *     whose snapshot its successor has issued
   */
  CompletableFuture<Status> status(long startTimestamp, long snapshot);

  /** The answer. */
  sealed interface Status {

    /** Returns the proof that allows a region server to abort the transaction, or none. */
    default Proof abortable() {
      return Proof.NONE;
    }

    /**
     * No commit request has been seen: a later commit timestamp will exceed every timestamp issued
     * so far. Carries no information for the transaction itself.
     */
    record NotRequested() implements Status {}

    /**
     * Decided: may commit at this timestamp.
     *
     * @param proof states so to every server
     */
    record Passed(long commitTimestamp, Tag proof) implements Status {}

    /**
     * Not decided: commits at this timestamp or not at all, and only its own client may commit it
     * (ADR 81). A reader at or below the timestamp skips it.
     *
     * @param proof states to every server that the transaction may be aborted; empty if it has been
     *     assigned too recently
     */
    record Assigned(long commitTimestamp, Optional<Tag> proof) implements Status {
      @Override
      public Proof abortable() {
        return proof.<Proof>map(Proof.Voided::new).orElse(Proof.NONE);
      }
    }

    /**
     * Decided: conflict.
     *
     * @param proof states to every server that the transaction may be aborted
     */
    record Conflict(Tag proof) implements Status {
      @Override
      public Proof abortable() {
        return new Proof.Voided(proof);
      }
    }

    /**
     * Forgotten, or older than what this transaction manager remembers.
     *
     * @param proof states to every server that the transaction may be aborted; empty if no
     *     transaction manager has said so
     */
    record Unknown(Optional<Tag> proof) implements Status {
      @Override
      public Proof abortable() {
        return proof.<Proof>map(Proof.Voided::new).orElse(Proof.NONE);
      }
    }
  }
}
