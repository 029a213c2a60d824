package io.lampone.client;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts of a client's requests to the servers since it connected. A batch may go to several
 * servers: HBase sends it as one call per server.
 *
 * @param flushRequests requests that write intents, each for one region
 * @param flushBatches batches of these requests
 * @param leaderWrites compare-and-sets on leaders
 * @param leaderReads batches that read leaders
 * @param healRequests requests that write fates onto followers, and other post-commit requests,
 *     each for one region
 * @param gets single gets
 * @param multiGets batches of several gets
 * @param scannersOpened scanners
 * @param fastReads batches of fast-path reads, of one get or several
 * @param fastWrites requests for fast-path writes, each for one region, retries included
 * @param oneRegionCommits commits of regular transactions in one region, retries included
 * @param operationLookups look-ups of operations whose reply was lost
 * @param lineCalls single-row calls that were answered on the client's dedicated connections
 *     ({@code lampone.client.server.lines})
 * @param managerRequests requests to the transaction manager
 * @param postCommitDropped post-commit tasks left to readers because too many were in progress
 *     ({@code lampone.client.housekeeping.limit})
 * @param postCommitFailed post-commit tasks that failed and are left to readers
 * @param replies replies received from region servers, by kind of request and result: the state of
 *     the transaction in a row ({@code commit-leader.committed}; {@code
 *     commit-leader.aborted.unchanged} if the request changed nothing), the outcome of an operation
 *     ({@code fast-write.busy}) or the code of a refusal ({@code refused.below-floor})
 * @param transactions transactions by begin ({@code begin}; of these {@code begin-session}), way of
 *     commit ({@code committed.one-region}, {@code committed.by-intents}, {@code
 *     committed.without-writes}) and other outcomes ({@code conflict.write-write}, {@code
 *     rolled-back}, {@code unknown}), and repetitions by {@code run} ({@code retry})
 */
public record ClientMetrics(
    long flushRequests,
    long flushBatches,
    long leaderWrites,
    long leaderReads,
    long healRequests,
    long gets,
    long multiGets,
    long scannersOpened,
    long fastReads,
    long fastWrites,
    long oneRegionCommits,
    long operationLookups,
    long lineCalls,
    long managerRequests,
    long postCommitDropped,
    long postCommitFailed,
    SortedMap<String, Long> replies,
    SortedMap<String, Long> transactions) {

  public ClientMetrics {
    replies = Collections.unmodifiableSortedMap(new TreeMap<>(replies));
    transactions = Collections.unmodifiableSortedMap(new TreeMap<>(transactions));
  }
}
