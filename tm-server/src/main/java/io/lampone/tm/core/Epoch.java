package io.lampone.tm.core;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.transfer.PrimaryState;

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
    long sentNanos) {}
