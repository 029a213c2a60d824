package io.lampone.tm.core.transfer;

/**
 * The name of a hand-over: who gives, the how many-th time, and who is to take. A process that died
 * stays on the list of members for a while, and another one may be listening at its address by
 * then: it must not take what the record will say is the dead one's.
 */
public final class TransferName {

  private static final String TO = " to ";

  private TransferName() {}

  /**
   * A name that is never used again, for {@code giver} is none either.
   *
   * @param giver the holder that hands over
   * @param number how many hand-overs it has begun
   * @param successor the holder that is to go on
   */
  public static String of(String giver, long number, String successor) {
    return giver + "#" + number + TO + successor;
  }

  /** Returns true if {@code holder} may be meant; a name without a successor may mean any. */
  public static boolean mayMean(String name, String holder) {
    int to = name.lastIndexOf(TO);
    return to < 0 || name.substring(to + TO.length()).equals(holder);
  }
}
