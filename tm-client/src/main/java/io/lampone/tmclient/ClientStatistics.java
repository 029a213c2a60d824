package io.lampone.tmclient;

/**
 * What a client has done so far.
 *
 * @param frames frames sent
 * @param requests requests sent in them
 * @param answered requests answered
 * @param waitedNanos from the callers' questions to the answers, added up
 * @param roundTripNanos from the sending of their frames to the answers, added up
 * @param connections connections on which a server has welcomed the client
 */
public record ClientStatistics(
    long frames,
    long requests,
    long answered,
    long waitedNanos,
    long roundTripNanos,
    long connections) {

  /** How many round trips a caller waits for an answer, on the average. */
  public double roundTripsWaited() {
    return roundTripNanos == 0 ? 0 : (double) waitedNanos / roundTripNanos;
  }

  /** What has been done here and there. */
  ClientStatistics plus(ClientStatistics other) {
    return new ClientStatistics(
        frames + other.frames,
        requests + other.requests,
        answered + other.answered,
        waitedNanos + other.waitedNanos,
        roundTripNanos + other.roundTripNanos,
        connections + other.connections);
  }

  /** What has happened since {@code earlier}. */
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
