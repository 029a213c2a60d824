package io.lampone.protocol;

/** Unit that two transactions must both write to conflict (protocol page, section 7). */
public enum ConflictLevel {
  /** The same row, in any family and column. */
  ROW(1),
  /** The same cell; wide deletes conflict with every cell that they cover. */
  CELL(2);

  private final int code;

  ConflictLevel(int code) {
    this.code = code;
  }

  /** Returns the code of this level in requests. */
  public int code() {
    return code;
  }

  /**
   * Returns the level with the given code.
   *
   * @throws MalformedException if no level has this code
   */
  public static ConflictLevel ofCode(int code) {
    return switch (code) {
      case 1 -> ROW;
      case 2 -> CELL;
      default -> throw new MalformedException("unknown conflict level, code=" + code);
    };
  }
}
