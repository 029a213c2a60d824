package io.lampone.cli.quickstart;

import io.lampone.protocol.TransactionId;

/**
 * Fate of the work of a client that was killed between its intents and its commit.
 *
 * @param id its transaction
 * @param from the account that it took money from
 * @param to the account that it gave it to
 * @param amount how much
 * @param intents how many tentative writes it left in HBase
 * @param reads how many reads of the two accounts followed
 * @param slowestReadNanos how long the slowest of them took
 * @param writeNanos how long a transfer between the two accounts took afterwards
 * @param blocked whether one of them did not come to an end within its bound
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
