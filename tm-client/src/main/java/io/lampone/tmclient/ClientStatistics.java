package io.lampone.tmclient;

/**
 * Statistics of a client since its creation.
 *
 * @param frames frames sent
 * @param requests requests sent in them
 * @param answered requests answered
 * @param waitedNanos sum of the times from the callers' requests to the answers
 * @param roundTripNanos sum of the times from the sending of their frames to the answers
 * @param connections connections on which a server has welcomed the client
 */
public record ClientStatistics(
    long frames,
    long requests,
    long answered,
    long waitedNanos,
    long roundTripNanos,
    long connections) {

  /** Returns the sum of both statistics. */
  ClientStatistics plus(ClientStatistics other) {
    return new ClientStatistics(
        frames + other.frames,
        requests + other.requests,
        answered + other.answered,
        waitedNanos + other.waitedNanos,
        roundTripNanos + other.roundTripNanos,
        connections + other.connections);
  }

  /** Returns the statistics since {@code earlier}. */
  public ClientStatistics since(ClientStatistics earlier) {
    return new ClientStatistics(
        frames - earlier.frames,
        requests - earlier.requests,
        answered - earlier.answered,
        waitedNanos - earlier.waitedNanos,
        roundTripNanos - earlier.roundTripNanos,
        connections - earlier.connections);
  }
}
