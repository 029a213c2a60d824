package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import java.util.Base64;

/**
 * Why a region server did not do what a request asked. Travels as the message of an exception, so
 * it has a text form: {@code [lampone CODE commit=N row=BASE64] detail}.
 *
 * @param code what kind of refusal it is; decides what the client does
 * @param detail for people: what happened and what to do
 * @param winnerCommitTimestamp for {@link Code#CONFLICT}: the commit timestamp that was in the way;
 *     for {@link Code#BELOW_SAFE_POINT} of a fast-path operation: the mark with which it may come
 *     again; else 0
 * @param row the row that was in the way, empty if it was none in particular
 */
public record Refusal(Code code, String detail, long winnerCommitTimestamp, Bytes row) {

  private static final String HEAD = "[lampone ";

  /** The kinds. A code is never reused for something else. */
  public enum Code {
    /** A commit timestamp above the snapshot on a cell that is to be written. */
    CONFLICT(Advice.NEW_TRANSACTION),
    /** The transaction has been aborted by another client. */
    ABORTED(Advice.NEW_TRANSACTION),
    /** The start timestamp is below the floor: a transaction manager has failed over. */
    BELOW_FLOOR(Advice.NEW_TRANSACTION),
    /** The snapshot is older than what the cluster keeps. */
    BELOW_SAFE_POINT(Advice.NEW_TRANSACTION),
    /** The server has to learn the floor or the safe point first. */
    NOT_READY(Advice.SAME_REQUEST),
    /** The server cannot prove that it is still alive for ZooKeeper. */
    SESSION_UNPROVEN(Advice.SAME_REQUEST),
    /** Not all rows lie in the region: it was split or moved. */
    WRONG_REGION(Advice.LOCATE_AGAIN),
    /** The table's conflict level is another one than the client thinks. */
    LEVEL_MISMATCH(Advice.NEW_TRANSACTION),
    /** A plain HBase operation on a transactional table. */
    PLAIN_CLIENT(Advice.NEVER),
    /** The table is being enabled or disabled. */
    TABLE_CHANGING(Advice.NEW_TRANSACTION),
    /** A timestamp that no transaction manager can have issued. */
    IMPOSSIBLE_TIMESTAMP(Advice.NEVER),
    /** An option that has no meaning inside a transaction. */
    UNSUPPORTED(Advice.NEVER),
    /** The attribute could not be read: client and server do not fit together. */
    MALFORMED(Advice.NEVER),
    /**
     * A scan that is not to return pointers has met intents whose fate is unknown: the client
     * resolves those that {@link UndecidedIntents} names, and scans again with the judgments.
     */
    UNDECIDED(Advice.NEVER),
    /** Too much is under way or undecided: later there may be room. */
    BUSY(Advice.SAME_REQUEST),
    /** A fate of another leader than the one that the stored follower names; nothing is changed. */
    NOT_ITS_LEADER(Advice.NEVER),
    /** A proof is wrong or missing: the transaction belongs to another client. */
    UNPROVED(Advice.NEVER),
    /** Data that this version cannot have written. */
    CORRUPT(Advice.NEVER),
    /** The fast path is switched off for this table: use a regular transaction. */
    FAST_PATH_DISABLED(Advice.NEVER),
    /** A later attempt, or a look-up, of the same operation has come first: ask for its fate. */
    SUPERSEDED(Advice.NEVER),
    /** Another coprocessor comes behind ours, so that it would not be asked. */
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

  /** Remedy of a client after a refusal. */
  public enum Advice {
    /** Send the same request again after a pause. */
    SAME_REQUEST,
    /** Look the region up again, then send the same request. */
    LOCATE_AGAIN,
    /** No remedy for this transaction; a new one may succeed. */
    NEW_TRANSACTION,
    /** The same thing would fail again. */
    NEVER
  }

  /** A refusal that concerns no row in particular. */
  public static Refusal of(Code code, String detail) {
    return new Refusal(code, detail, 0, Bytes.EMPTY);
  }

  /** A conflict. */
  public static Refusal conflict(Bytes row, long winnerCommitTimestamp, String detail) {
    return new Refusal(Code.CONFLICT, detail, winnerCommitTimestamp, row);
  }

  /** The text that {@link #parse} finds again inside a longer message. */
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
   * @throws MalformedException if there is none in it
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
