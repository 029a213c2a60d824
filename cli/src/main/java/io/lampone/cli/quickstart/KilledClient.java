package io.lampone.cli.quickstart;

import io.lampone.protocol.TransactionId;

/**
 * Fate of the work of a client that was killed between its intents and its commit.
 *
 * @param id its transaction
 * @param from account that it debited
 * @param to account that it credited
 * @param amount amount of the transfer
 * @param intents number of its intents in HBase
 * @param reads number of later reads of the two accounts
 * @param slowestReadNanos duration of the slowest of them
 * @param writeNanos duration of a later transfer between the two accounts
 * @param blocked true if one of them did not end within its bound
 */
record KilledClient(
    TransactionId id,
    int from,
    int to,
    long amount,
    int intents,
    int reads,
    long slowestReadNanos,
    long writeNanos,
    boolean blocked) {}
