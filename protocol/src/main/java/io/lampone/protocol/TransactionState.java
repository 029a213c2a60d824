package io.lampone.protocol;

/**
 * The state of a transaction cell (protocol page, section 4). Legal transitions:
 *
 * <pre>
 *   leader    (absent) -> PENDING -> COMMITTED -> FINAL
 *             (absent) -> ABORTED            PENDING -> ABORTED
 *   follower  (absent) -> PENDING -> COMMITTED
 *                         PENDING -> ABORTED
 * </pre>
 *
 * <p>FINAL and ABORTED are terminal; COMMITTED changes to FINAL only.
 */
public enum TransactionState {
  /** Undecided as far as this cell knows: the leader holds the outcome. */
  PENDING(1),
  /** Committed; on a leader, some followers may still be PENDING. */
  COMMITTED(2),
  /** On a leader only: committed, and no follower is PENDING. */
  FINAL(3),
  /** Aborted; never changes. */
  ABORTED(4);

  private final int code;

  TransactionState(int code) {
    this.code = code;
  }

  /** Returns the code of this state in transaction cells and replies. */
  public int code() {
    return code;
  }

  /** Returns true if the transaction is committed: the cell holds a commit timestamp. */
  public boolean isCommitted() {
    return this == COMMITTED || this == FINAL;
  }

  /**
   * Returns the state with the given code.
   *
   * @throws MalformedException if no state has this code
   */
  public static TransactionState ofCode(int code) {
    return switch (code) {
      case 1 -> PENDING;
      case 2 -> COMMITTED;
      case 3 -> FINAL;
      case 4 -> ABORTED;
      default -> throw new MalformedException("unknown transaction state, code=" + code);
    };
  }
}
