package io.lampone.tmclient;

/** Counters for {@link ClientStatistics}: written by the event loop, read by any thread. */
final class ClientCounters {

  // Event loop only.
  private long frames;
  private long requests;
  private long answered;
  private long waitedNanos;
  private long roundTripNanos;
  private long connections;

  /** The counts as of the last frame of replies; written by the event loop. */
  private volatile ClientStatistics published = new ClientStatistics(0, 0, 0, 0, 0, 0);

  void opened() {
    connections++;
    publish();
  }

  void sent(int more) {
    frames++;
    requests += more;
  }

  void answered(long waited, long roundTrip) {
    answered++;
    waitedNanos += waited;
    roundTripNanos += roundTrip;
  }

  void publish() {
    published =
        new ClientStatistics(frames, requests, answered, waitedNanos, roundTripNanos, connections);
  }

  ClientStatistics published() {
    return published;
  }
}
