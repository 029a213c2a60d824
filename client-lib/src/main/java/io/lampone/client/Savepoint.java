package io.lampone.client;

/**
 * A point inside one transaction to which its writes can be rolled back.
 *
 * @param startTimestamp start timestamp of its transaction
 * @param slot the first savepoint slot that a rollback to this point undoes, 1..127
 */
public record Savepoint(long startTimestamp, int slot) {}
