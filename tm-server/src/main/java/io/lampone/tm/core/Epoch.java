package io.lampone.tm.core;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.transfer.PrimaryState;

/**
 * An epoch that has just been taken.
 *
 * @param version the version of the record that took it
 * @param record that record
 * @param firstTimestamp the first timestamp that may be issued in it
 * @param primaryState what the primary knows as it begins: handed over, or nothing
 * @param inherited whether it was handed over
 * @param sentNanos when the compare-and-set was sent, on the monotonic clock
 */
record Epoch(
    long version,
    ManagerRecord record,
    long firstTimestamp,
    PrimaryState primaryState,
    boolean inherited,
    long sentNanos) {}
