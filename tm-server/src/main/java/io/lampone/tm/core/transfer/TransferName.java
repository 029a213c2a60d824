package io.lampone.tm.core.transfer;

/**
 * The name of a hand-over: the giving node, a number, and the intended successor. A dead process
 * remains registered as a member for a while, and another one may listen at its address by then.
 * That one must not accept a hand-over meant for the dead one.
 */
public final class TransferName {

  private static final String TO = " to ";

  private TransferName() {}

  /**
   * Returns a name that is never used again, because the name of {@code giver} is not either.
   *
   * @param giver the holder that hands over
   * @param number the number of its hand-overs so far
   * @param successor the intended holder
   */
  public static String of(String giver, long number, String successor) {
    return giver + "#" + number + TO + successor;
  }

  /** Returns true if {@code holder} may be meant; a name without a successor admits any. */
  public static boolean mayMean(String name, String holder) {
    int to = name.lastIndexOf(TO);
    return to < 0 || name.substring(to + TO.length()).equals(holder);
  }
}
