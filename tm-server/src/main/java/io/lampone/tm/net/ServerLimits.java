package io.lampone.tm.net;

import java.time.Duration;

/**
 * Limits on the clients of the server.
 *
 * @param maxFrameBytes the longest frame
 * @param maxMessages the most requests in a frame
 * @param maxConnections the most connections at a time
 * @param maxOutstandingPerConnection replies that may wait to be taken by one client
 * @param maxOutstanding replies that may wait to be taken by all clients
 * @param conflictCapacity entries of the conflict table
 * @param decisionCapacity entries of the decision memory
 * @param handshakeTimeout how long a new connection may take to introduce itself
 */
public record ServerLimits(
    int maxFrameBytes,
    int maxMessages,
    int maxConnections,
    int maxOutstandingPerConnection,
    int maxOutstanding,
    int conflictCapacity,
    int decisionCapacity,
    Duration handshakeTimeout) {}
