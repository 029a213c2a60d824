package io.lampone.protocol;

/**
 * The state of a transaction cell (protocol page, section 4). Legal changes:
 *
 * <pre>
 *   leader    (absent) -> PENDING -> COMMITTED -> FINAL
 *             (absent) -> ABORTED            PENDING -> ABORTED
 *   follower  (absent) -> PENDING -> COMMITTED
 *                         PENDING -> ABORTED
 * </pre>
 *
 * Nothing leaves FINAL or ABORTED, and nothing leaves COMMITTED but towards FINAL.
 */
public enum TransactionState {
  /** The outcome is not in this cell: the leader knows it. */
  PENDING(1),
  /** Committed; on a leader: some follower may still be PENDING. */
  COMMITTED(2),
  /** Only on a leader: committed, and every follower says so. */
  FINAL(3),
  /** Aborted for good. */
  ABORTED(4);

  private final int code;

  TransactionState(int code) {
    this.code = code;
  }

  /** The byte that stands for this state in a transaction cell and in replies. */
  public int code() {
    return code;
  }

  /** Returns true if the cell holds a commit timestamp. */
  public boolean isCommitted() {
    return this == COMMITTED || this == FINAL;
  }

  /**
   * The state of a byte.
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
