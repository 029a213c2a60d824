package io.lampone.protocol.tm;

/**
 * Successor of a lease holder that has stopped. In a {@linkplain ManagerRecord#released released}
 * record, it may keep the floor if it has received everything that was sent under the name of this
 * hand-over. In a record that is not released, it shows that the epoch was taken this way.
 *
 * @param successor the {@link ManagerRecord#holder} that takes over
 * @param handOver the name of the hand-over, never used for another one
 */
public record SuccessorRecord(String successor, String handOver) {}
