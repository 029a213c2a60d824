package io.lampone.faultlab.work;

/** Work of the threads of a client. Thread-safe: all threads of a client share it. */
public interface LabWorkload {

  /** One transaction, or one operation of the fast path. */
  void step(LabClientSession session);
}
