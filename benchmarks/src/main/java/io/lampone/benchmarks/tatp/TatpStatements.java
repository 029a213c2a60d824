package io.lampone.benchmarks.tatp;

import java.util.Set;

/**
 * Statements of TATP's transactions, as one system carries them out in the current transaction.
 *
 * @param <E> failure of a statement; also of one whose row must exist and does not
 */
public interface TatpStatements<E extends Exception> {

  /** Reads all columns of a subscriber, who must exist. */
  void readSubscriber(int subscriber) throws E;

  /** Reads an access info; returns false if there is none. */
  boolean hasAccessInfo(Tatp.Facility key) throws E;

  /** Returns true if the facility is active and forwards calls between these times. */
  boolean isForwarded(Tatp.Facility facility, int start, int end) throws E;

  /** Writes the bit of a subscriber. */
  void setBit(int subscriber, int bit) throws E;

  /** Writes a column of a special facility; returns false if there is none. */
  boolean updateFacility(Tatp.Facility facility, int value) throws E;

  /** Writes the location of the subscriber of a number, who must exist. */
  void updateLocation(String number, long location) throws E;

  /** Returns the subscriber of a number, who must exist. */
  int subscriber(String number) throws E;

  /** Returns the types of a subscriber's special facilities. */
  Set<Integer> types(int subscriber) throws E;

  /** Returns true if there is a call forwarding with this key. */
  boolean hasForwarding(Tatp.Facility facility, int start) throws E;

  /** Inserts a call forwarding. */
  void insertForwarding(Tatp.Facility facility, int start, int end, String number) throws E;

  /** Deletes a call forwarding. */
  void deleteForwarding(Tatp.Facility facility, int start) throws E;
}
