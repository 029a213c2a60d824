package io.lampone.benchmarks.compare;

import java.io.IOException;
import java.util.List;

/** Contender's client, connected to its table. Thread-safe; its sessions are not. */
public interface SystemClient extends AutoCloseable {

  /** Creates a session for one thread. */
  Session session() throws IOException;

  /** Returns the requests to the server of timestamps and conflicts so far; 0 without one. */
  long managerRequests();

  /** Session of one thread. */
  interface Session {

    /**
     * Runs a transaction of these accesses, in their order, from begin to the answer that it is
     * committed. It is not repeated.
     */
    Ended perform(List<Access> accesses) throws IOException;
  }

  /**
   * End of a transaction.
   *
   * @param startTimestamp start timestamp of its snapshot; 0 if it had none
   * @param commitTimestamp commit timestamp if it committed writes; else 0
   */
  record Ended(Ending ending, long startTimestamp, long commitTimestamp) {

    /** Returns the end of a single operation outside transactions. */
    static Ended alone(Ending ending) {
      return new Ended(ending, 0, 0);
    }
  }

  /** End of a transaction. */
  enum Ending {
    COMMITTED,
    /** Conflict: another transaction with the same write committed first. */
    CONFLICT,
    /** Ended without a trace for another reason. */
    ABORTED
  }

  @Override
  void close() throws IOException;
}
