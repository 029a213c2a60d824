package io.lampone.torture.work;

/**
 * What a client says of itself every second.
 *
 * @param ok acknowledged since its start
 * @param failed certainly without effect
 * @param unknown nobody knows
 * @param p50Micros of those acknowledged in the last second
 * @param p99Micros likewise
 */
public record ClientStatus(long ok, long failed, long unknown, long p50Micros, long p99Micros) {

  private static final int FIELDS = 5;

  /** Of a client that has said nothing yet. */
  public static final ClientStatus NONE = new ClientStatus(0, 0, 0, 0, 0);

  /** Text that {@link #parse} reads. */
  @Override
  public String toString() {
    return ok + " " + failed + " " + unknown + " " + p50Micros + " " + p99Micros;
  }

  /** Reads what {@link #toString} wrote. */
  public static ClientStatus parse(String text) {
    String[] parts = text.strip().split(" ", -1);
    if (parts.length != FIELDS) {
      throw new IllegalArgumentException("not the status of a client, text='" + text + "'");
    }
    long[] numbers = new long[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
      numbers[i] = Long.parseLong(parts[i]);
    }
    return new ClientStatus(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
  }
}
