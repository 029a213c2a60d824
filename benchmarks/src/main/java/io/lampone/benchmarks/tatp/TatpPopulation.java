package io.lampone.benchmarks.tatp;

/**
 * Inserts of rows, as one system carries them out.
 *
 * @param <E> failure of an insert
 */
public interface TatpPopulation<E extends Exception> {

  /** Columns that fill a subscriber, and the bit that is updated. */
  record Data(int bit, String bits, String hex, String bytes) {}

  /** Inserts a subscriber. */
  void subscriber(int subscriber, String number, Data data, long msc, long vlr) throws E;

  /** Inserts an access info. */
  void accessInfo(Tatp.Facility key, int data1, int data2, String data3, String data4) throws E;

  /** Inserts a special facility. */
  void facility(Tatp.Facility key, int active, int error, int dataA, String dataB) throws E;

  /** Inserts a call forwarding. */
  void insertForwarding(Tatp.Facility facility, int start, int end, String number) throws E;
}
