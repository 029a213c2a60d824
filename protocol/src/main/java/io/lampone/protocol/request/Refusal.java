package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import java.util.Base64;

/**
 * A region server's reason for refusing a request. It travels as the message of an exception and
 * therefore has a text form: {@code [lampone CODE commit=N row=BASE64] detail}.
 *
 * @param code the kind of refusal; determines what the client does
 * @param detail cause and remedy, for people
 * @param winnerCommitTimestamp for {@link Code#CONFLICT}: the conflicting commit timestamp; for
 *     {@link Code#BELOW_SAFE_POINT} of a fast-path operation: the mark with which to retry; else 0
 * @param row the row concerned; empty if none in particular
 */
public record Refusal(Code code, String detail, long winnerCommitTimestamp, Bytes row) {

  private static final String HEAD = "[lampone ";

  /** Kinds of refusals. A code is never reused with another meaning. */
  public enum Code {
    /** A cell to be written has a commit timestamp above the snapshot. */
    CONFLICT(Advice.NEW_TRANSACTION),
    /** The transaction has been aborted by another client. */
    ABORTED(Advice.NEW_TRANSACTION),
    /** The start timestamp is below the floor: a transaction manager has failed over. */
    BELOW_FLOOR(Advice.NEW_TRANSACTION),
    /** The snapshot is below the safe point. */
    BELOW_SAFE_POINT(Advice.NEW_TRANSACTION),
    /** The server has yet to learn the floor or the safe point. */
    NOT_READY(Advice.SAME_REQUEST),
    /** The server cannot prove that its ZooKeeper session is alive. */
    SESSION_UNPROVEN(Advice.SAME_REQUEST),
    /** Not all rows lie in the region: it was split or moved. */
    WRONG_REGION(Advice.LOCATE_AGAIN),
    /** The table's conflict level differs from the one that the client assumes. */
    LEVEL_MISMATCH(Advice.NEW_TRANSACTION),
    /** An index was added to the table after the sender had looked up its indexes. */
    STALE_SCHEMA(Advice.NEW_TRANSACTION),
    /** A plain HBase operation on a transactional table. */
    PLAIN_CLIENT(Advice.NEVER),
    /** The table is being enabled or disabled. */
    TABLE_CHANGING(Advice.NEW_TRANSACTION),
    /** A timestamp that no transaction manager can have issued. */
    IMPOSSIBLE_TIMESTAMP(Advice.NEVER),
    /** An option that is not supported inside a transaction. */
    UNSUPPORTED(Advice.NEVER),
    /** The attribute cannot be decoded: client and server are incompatible. */
    MALFORMED(Advice.NEVER),
    /**
     * A scan that must not return pointers has met intents of unknown fate. The client resolves the
     * intents that {@link UndecidedIntents} names, and scans again with the judgments.
     */
    UNDECIDED(Advice.NEVER),
    /** Too much is in progress or undecided; a later attempt may succeed. */
    BUSY(Advice.SAME_REQUEST),
    /** The fate concerns another leader than the one the stored follower names; nothing changed. */
    NOT_ITS_LEADER(Advice.NEVER),
    /** A proof is wrong or missing: the transaction belongs to another client. */
    UNPROVED(Advice.NEVER),
    /** Stored data that this version cannot have written. */
    CORRUPT(Advice.NEVER),
    /** The fast path is disabled for this table: use a regular transaction. */
    FAST_PATH_DISABLED(Advice.NEVER),
    /** A later attempt or a look-up of the same operation came first: ask for its fate. */
    SUPERSEDED(Advice.NEVER),
    /** Another coprocessor runs after the observer and would be bypassed. */
    MISPLACED(Advice.NEVER),
    /** A limit of the server is exceeded. */
    TOO_LARGE(Advice.NEVER),
    /** The hook failed unexpectedly; nothing was changed. */
    INTERNAL(Advice.NEVER);

    private final Advice advice;

    Code(Advice advice) {
      this.advice = advice;
    }

    /** Returns the client's remedy. */
    public Advice advice() {
      return advice;
    }
  }

  /** A client's remedy after a refusal. */
  public enum Advice {
    /** Send the same request again after a pause. */
    SAME_REQUEST,
    /** Locate the region again, then send the same request. */
    LOCATE_AGAIN,
    /** No remedy for this transaction; a new one may succeed. */
    NEW_TRANSACTION,
    /** A retry would fail in the same way. */
    NEVER
  }

  /** Creates a refusal that concerns no particular row. */
  public static Refusal of(Code code, String detail) {
    return new Refusal(code, detail, 0, Bytes.EMPTY);
  }

  /** Creates the refusal of a conflict. */
  public static Refusal conflict(Bytes row, long winnerCommitTimestamp, String detail) {
    return new Refusal(Code.CONFLICT, detail, winnerCommitTimestamp, row);
  }

  /** Returns the text form, which {@link #parse} finds inside a longer message. */
  public String toText() {
    return HEAD
        + code
        + " commit="
        + winnerCommitTimestamp
        + " row="
        + Base64.getUrlEncoder().withoutPadding().encodeToString(row.unsafeArray())
        + "] "
        + detail;
  }

  /**
   * Finds a refusal in the message of an exception.
   *
   * @throws MalformedException if there is none
   */
  public static Refusal parse(String message) {
    int start = message.indexOf(HEAD);
    int end = message.indexOf("] ", start);
    if (start < 0 || end < 0) {
      throw new MalformedException("no refusal in message, message=" + message);
    }
    String[] words = message.substring(start + HEAD.length(), end).split(" ", -1);
    try {
      Code code = Code.valueOf(words[0]);
      long commit = Long.parseLong(words[1].substring("commit=".length()));
      Bytes row = Bytes.wrap(Base64.getUrlDecoder().decode(words[2].substring("row=".length())));
      return new Refusal(code, message.substring(end + 2), commit, row);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new MalformedException("unreadable refusal, message=" + message, e);
    }
  }
}
