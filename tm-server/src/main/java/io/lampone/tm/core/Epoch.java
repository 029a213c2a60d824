package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.core.oracle.TimestampAllocator;
import io.lampone.tm.core.transfer.PrimaryState;
import io.lampone.tm.core.validation.TransactionManagerCore;
import java.time.Duration;

/**
 * An epoch that this node has just taken.
 *
 * @param version the version of the record that took it
 * @param record the record
 * @param firstTimestamp the first timestamp to issue
 * @param primaryState the initial state of the primary: inherited, or empty
 * @param inherited whether the state was handed over
 * @param sentNanos when the compare-and-set was sent, on the monotonic clock
 */
record Epoch(
    long version,
    ManagerRecord record,
    long firstTimestamp,
    PrimaryState primaryState,
    boolean inherited,
    long sentNanos) {

  /** Returns the timestamps of the epoch. */
  TimestampAllocator timestamps(Clock clock, Duration boundAhead) {
    return new TimestampAllocator(clock, firstTimestamp, record.bound(), boundAhead);
  }

  /** Returns the oracle and the validator of the epoch. */
  TransactionManagerCore core(TimestampAllocator timestamps, Proofs proofs) {
    return TransactionManagerCore.of(
        timestamps,
        primaryState.conflicts(),
        primaryState.decisions(),
        primaryState.buckets(),
        record.floor(),
        record.safePoint(),
        proofs);
  }
}
