package io.lampone.protocol.tm;

/**
 * Successor of a lease holder that has stopped. In a {@linkplain ManagerRecord#released released}
 * record: the one that may keep the floor, if it has everything that was sent under the name of
 * this hand-over. In a record that is not released: that this epoch was taken so.
 *
 * @param successor the {@link ManagerRecord#holder} that takes over
 * @param handOver names the hand-over, and is never used for another one
 */
public record SuccessorRecord(String successor, String handOver) {}
