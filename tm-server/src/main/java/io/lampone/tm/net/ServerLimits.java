package io.lampone.tm.net;

import java.time.Duration;

/**
 * Limits of the server on clients.
 *
 * @param maxFrameBytes maximum frame length
 * @param maxMessages maximum requests in a frame
 * @param maxConnections maximum open connections
 * @param maxOutstandingPerConnection maximum unread replies of one client
 * @param maxOutstanding maximum unread replies of all clients together
 * @param conflictCapacity capacity of the conflict table
 * @param decisionCapacity capacity of the decision memory
 * @param handshakeTimeout time limit of a handshake
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
