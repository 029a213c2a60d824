package io.lampone.embedded;

/**
 * Counts of a transaction manager's replies since its start.
 *
 * @param timestamps begins of transactions, and prefetches of region servers for their local
 *     version clocks, which use the same request
 * @param validations validations with any result
 * @param statuses status queries
 */
public record ManagerAnswers(long timestamps, long validations, long statuses) {}
