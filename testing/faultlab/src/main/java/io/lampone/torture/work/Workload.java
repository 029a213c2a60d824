package io.lampone.torture.work;

/** What the threads of a client do. Thread-safe: all threads of a client share it. */
interface Workload {

  /** One transaction, or one operation of the fast path. */
  void step(ClientSession session);
}
