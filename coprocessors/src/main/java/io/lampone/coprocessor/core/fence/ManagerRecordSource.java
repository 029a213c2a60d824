package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.tm.ManagerRecord;

/** Port: the transaction manager's znode, read through the server's own ZooKeeper session. */
public interface ManagerRecordSource {

  /**
   * Starts a sync() followed by a read that sets a watch, and returns at once. Exactly one method
   * of {@code answer} is called later, on any thread.
   */
  void read(Answer answer);

  /** Sets what is called when the znode may have changed; called once, before the first read. */
  default void onChange(Runnable change) {}

  /** Receiver of a read's result. */
  interface Answer {
    /**
     * Receives the znode's content.
     *
     * @param writtenMillis when it was written, by ZooKeeper's clock
     */
    void record(ManagerRecord record, long writtenMillis);

    /** Reports that there is no such znode. */
    void absent();

    /** Reports that the read failed; another one may succeed. */
    void failed(String why);
  }
}
