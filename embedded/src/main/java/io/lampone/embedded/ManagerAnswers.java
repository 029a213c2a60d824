package io.lampone.embedded;

/**
 * Answers of a transaction manager since it started.
 *
 * @param timestamps begins of transactions, and those that region servers fetch ahead for their
 *     local version clocks, which use the same request
 * @param validations whatever came out
 * @param statuses questions for the fate of a transaction
 */
public record ManagerAnswers(long timestamps, long validations, long statuses) {}
