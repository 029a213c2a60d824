package io.lampone.client;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts of a client's calls of the servers since it connected. What goes to several servers at
 * once counts as one batch: HBase sends it as one call per server.
 *
 * @param flushRequests intents: one request for one region each
 * @param flushBatches batches that brought them
 * @param leaderWrites compare-and-sets on leaders
 * @param leaderReads batches that read leaders
 * @param healRequests fates written onto followers, and the rest of the work after commits: one
 *     request for one region each
 * @param gets single gets
 * @param multiGets batches of several gets
 * @param scannersOpened scanners
 * @param fastReads batches of fast-path reads, of one get or several
 * @param fastWrites fast-path writes: requests for one region each, repetitions included
 * @param oneRegionCommits commits of regular transactions in one region, repetitions included
 * @param operationLookups look-ups of operations whose reply was lost
 * @param lineCalls calls about one row that were answered on the client's dedicated connections
 *     ({@code lampone.client.server.lines})
 * @param managerRequests requests to the transaction manager
 * @param postCommitDropped works after commits that were left to readers because too many were
 *     under way ({@code lampone.client.housekeeping.limit})
 * @param postCommitFailed works after commits that failed, and are left to readers
 * @param replies replies of region servers by kind of request and result, those that have come: the
 *     state of the transaction in a row ({@code commit-leader.committed}; {@code
 *     commit-leader.aborted.unchanged} where the request has changed nothing), the outcome of an
 *     operation ({@code fast-write.busy}) or the code of a refusal ({@code refused.below-floor})
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
    SortedMap<String, Long> replies) {

  public ClientMetrics {
    replies = Collections.unmodifiableSortedMap(new TreeMap<>(replies));
  }
}
