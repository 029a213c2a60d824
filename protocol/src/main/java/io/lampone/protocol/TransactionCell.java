package io.lampone.protocol;

import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.trust.Tag;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The state of a transaction in one row and family: qualifier {@link Reserved#TRANSACTION}, version
 * = start timestamp (protocol page, section 2).
 *
 * <pre>
 *   cell      = version:u8=1  state:u8  commit:i64  flush:i64  rolledBack:2*i64  role
 *               deletedColumns
 *             | version:u8=2  the same  proof                  a committed leader
 *   role      = 0:u8 leader:place                              a follower
 *             | 1:u8 complete:bool count:length place*         the leader with its followers
 *   deletedColumns = count:length (slot:u8 qualifier:bytes)*
 *   proof     = kind:u8=1 pass:16
 *   place     = table:text row:bytes family:bytes
 *   bytes     = length (LEB128) byte*;  text = the same in UTF-8;  i64 big-endian
 * </pre>
 *
 * After decoding, both lists stay encoded and are decoded item by item on access: a read needs the
 * states of the transactions of a row, but rarely the lists.
 *
 * @param state state of the transaction, as far as this cell knows
 * @param commitTimestamp the commit timestamp; 0 unless the state is COMMITTED or FINAL
 * @param flushNumber number of the newest flush applied to this row and family; a flush with a
 *     number not above it is acknowledged and not applied
 * @param rolledBackSlots savepoint slots whose cells in this row and family do not count
 * @param leader the place of the commit entry; empty on the leader itself
 * @param followers on the leader: all other transaction cells, as far as recorded
 * @param followersComplete on the leader: whether the list is complete. It is before the commit
 *     request is sent, unless the transaction exceeds the limit of the list
 * @param deletedColumns the column tombstones: an empty cell of this transaction in that slot and
 *     column is a delete, not an empty value
 * @param pass on a leader that is COMMITTED or FINAL: the transaction manager's statement that the
 *     transaction may commit at this timestamp; {@link Tag#NONE} = none, as in every other cell
 */
public record TransactionCell(
    TransactionState state,
    long commitTimestamp,
    long flushNumber,
    SlotSet rolledBackSlots,
    Optional<RowFamily> leader,
    List<RowFamily> followers,
    boolean followersComplete,
    List<DeletedColumn> deletedColumns,
    Tag pass) {

  private static final int FORMAT = 1;
  private static final int PROVED_FORMAT = 2;
  private static final int FOLLOWER = 0;
  private static final int LEADER = 1;
  private static final int PASS = 1;
  private static final int PROOF_BYTES = 1 + Tag.BYTES;

  /** Maximum bytes of any cell; a longer one is not decoded. */
  public static final int MAX_BYTES = 4 << 20;

  private static final RowFamily NOWHERE = new RowFamily("", Bytes.EMPTY, Bytes.EMPTY);

  /** Stands for followers that were skipped by the decoder. */
  private static final List<RowFamily> OMITTED = EncodedList.empty();

  /** A column tombstone of one savepoint slot. */
  public record DeletedColumn(int slot, Bytes qualifier) implements Comparable<DeletedColumn> {

    @Override
    public int compareTo(DeletedColumn other) {
      int order = Integer.compare(slot, other.slot);
      return order != 0 ? order : qualifier.compareTo(other.qualifier);
    }

    /** Returns the encoded length of a tombstone. */
    public static int encodedBytes(Bytes qualifier) {
      int length = qualifier.length();
      return 2 + (31 - Integer.numberOfLeadingZeros(length | 1)) / 7 + length;
    }

    private static DeletedColumn read(Decoder in) {
      int slot = in.u8();
      return new DeletedColumn(slot, in.bytes());
    }

    private static void skip(Decoder in) {
      in.u8();
      in.skipBytes();
    }
  }

  public TransactionCell {
    followers = followers instanceof EncodedList ? followers : List.copyOf(followers);
    deletedColumns =
        deletedColumns instanceof EncodedList ? deletedColumns : List.copyOf(deletedColumns);
    if (state.isCommitted() != (commitTimestamp != 0)) {
      throw new IllegalArgumentException(
          "commit timestamp does not fit the state, state="
              + state
              + " commitTimestamp="
              + commitTimestamp);
    }
    if (leader.isPresent() && !followers.isEmpty()) {
      throw new IllegalArgumentException("a follower has no followers, leader=" + leader);
    }
    if (!pass.equals(Tag.NONE) && (leader.isPresent() || !state.isCommitted())) {
      throw new IllegalArgumentException("only a committed leader has a proof, state=" + state);
    }
  }

  /** Returns a pending follower. */
  public static TransactionCell follower(RowFamily leader, long flushNumber) {
    return new TransactionCell(
        TransactionState.PENDING,
        0,
        flushNumber,
        SlotSet.NONE,
        Optional.of(leader),
        List.of(),
        false,
        List.of(),
        Tag.NONE);
  }

  /** Returns a pending leader. */
  public static TransactionCell leader(
      List<RowFamily> followers, boolean followersComplete, long flushNumber) {
    return new TransactionCell(
        TransactionState.PENDING,
        0,
        flushNumber,
        SlotSet.NONE,
        Optional.empty(),
        followers,
        followersComplete,
        List.of(),
        Tag.NONE);
  }

  /** Returns true if this cell is the transaction's commit entry. */
  public boolean isLeader() {
    return leader.isEmpty();
  }

  /** Returns this cell in another state; commit timestamp 0 = none. FINAL keeps the proof. */
  public TransactionCell withState(TransactionState newState, long newCommitTimestamp) {
    return with(newState, newCommitTimestamp, newState.isCommitted() ? pass : Tag.NONE);
  }

  /** Returns this committed leader with the statement that proves its commit. */
  public TransactionCell provedBy(Tag statement) {
    return with(state, commitTimestamp, statement);
  }

  private TransactionCell with(TransactionState newState, long newCommitTimestamp, Tag proof) {
    return new TransactionCell(
        newState,
        newCommitTimestamp,
        flushNumber,
        rolledBackSlots,
        leader,
        followers,
        followersComplete,
        deletedColumns,
        proof);
  }

  /** Returns true if the cell at {@code slot} and {@code qualifier} is a column tombstone. */
  public boolean deletes(int slot, Bytes qualifier) {
    return !deletedColumns.isEmpty() && deletedColumns.contains(new DeletedColumn(slot, qualifier));
  }

  /** Returns the approximate memory that the tombstones of a decoded cell take, in bytes. */
  public int tombstoneBytes() {
    return deletedColumns instanceof EncodedList<DeletedColumn> encoded
        ? encoded.bytes().length + RequestLimits.OBJECT_BYTES
        : RequestLimits.OBJECT_BYTES * (1 + deletedColumns.size());
  }

  /**
   * Encodes the value of the cell.
   *
   * @throws IllegalStateException if it was {@linkplain #decodeWithoutFollowers decoded in part}
   */
  public byte[] encode() {
    if (followers == OMITTED) {
      throw new IllegalStateException("the followers of this cell were not read");
    }
    Encoder out = new Encoder(64);
    boolean isProved = !pass.equals(Tag.NONE);
    out.u8(isProved ? PROVED_FORMAT : FORMAT);
    out.u8(state.code()).i64(commitTimestamp).i64(flushNumber).slots(rolledBackSlots);
    if (leader.isPresent()) {
      out.u8(FOLLOWER).place(leader.get());
    } else {
      out.u8(LEADER).bool(followersComplete);
      if (followers instanceof EncodedList<RowFamily> encoded) {
        out.encoded(encoded);
      } else {
        out.length(followers.size());
        followers.forEach(out::place);
      }
    }
    if (deletedColumns instanceof EncodedList<DeletedColumn> encoded) {
      out.encoded(encoded);
    } else {
      out.length(deletedColumns.size());
      deletedColumns.forEach(d -> out.u8(d.slot()).bytes(d.qualifier()));
    }
    if (isProved) {
      pass.write(out.u8(PASS));
    }
    return out.toByteArray();
  }

  /**
   * Returns this cell for a reader that may know the state of the transaction but not its other
   * places: the followers are replaced by as many places in no table, and tombstones and proof are
   * removed.
   *
   * @param shownLeader replaces the leader; empty on the leader itself
   */
  public TransactionCell withoutPlaces(Optional<RowFamily> shownLeader) {
    return new TransactionCell(
        state,
        commitTimestamp,
        flushNumber,
        rolledBackSlots,
        shownLeader,
        Collections.nCopies(followers.size(), NOWHERE),
        followersComplete,
        List.of(),
        Tag.NONE);
  }

  /** Returns this cell without the lists, which only its own transaction and healing need. */
  public TransactionCell withoutLists() {
    return new TransactionCell(
        state,
        commitTimestamp,
        flushNumber,
        rolledBackSlots,
        leader,
        List.of(),
        false,
        List.of(),
        Tag.NONE);
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if the bytes are not a transaction cell of this format
   */
  public static TransactionCell decode(byte[] array, int offset, int length) {
    return decode(array, offset, length, Part.ALL);
  }

  /**
   * Decodes a cell but skips its followers, for callers that need only what concerns its own row
   * and family. The followers take no memory. The result cannot be encoded.
   *
   * @throws MalformedException if the bytes are not a transaction cell of this format
   */
  public static TransactionCell decodeWithoutFollowers(byte[] array, int offset, int length) {
    return decode(array, offset, length, Part.ALL_BUT_FOLLOWERS);
  }

  /**
   * Decodes a cell without either list, in constant time. The bytes between head and proof are not
   * checked. The result cannot be encoded.
   *
   * @throws MalformedException if the bytes do not begin as a transaction cell of this format
   */
  public static TransactionCell decodeHead(byte[] array, int offset, int length) {
    return decode(array, offset, length, Part.HEAD);
  }

  /** The part of a cell to decode. */
  private enum Part {
    HEAD,
    ALL_BUT_FOLLOWERS,
    ALL
  }

  private static TransactionCell decode(byte[] array, int offset, int length, Part part) {
    if (length > MAX_BYTES) {
      throw new MalformedException("longer than any transaction cell, bytes=" + length);
    }
    boolean isProved = length > PROOF_BYTES && array[offset] == PROVED_FORMAT;
    Decoder in = new Decoder(array, offset, isProved ? length - PROOF_BYTES : length);
    in.version(isProved ? PROVED_FORMAT : FORMAT, "transaction cell");
    TransactionState state = TransactionState.ofCode(in.u8());
    long commit = in.i64();
    long flush = in.i64();
    SlotSet rolledBack = in.slots();
    int role = in.u8();
    Optional<RowFamily> leader = Optional.empty();
    List<RowFamily> followers = List.of();
    boolean complete = false;
    if (role == FOLLOWER) {
      leader = Optional.of(in.place());
    } else if (role == LEADER) {
      complete = in.bool();
      followers = followers(in, part);
    } else {
      throw new MalformedException("unknown role in transaction cell, role=" + role);
    }
    List<DeletedColumn> deleted = List.of();
    if (part != Part.HEAD) {
      deleted = EncodedList.read(in, 2, DeletedColumn::skip, DeletedColumn::read);
      in.end("transaction cell");
    }
    Tag pass = isProved ? proof(array, offset + length - PROOF_BYTES) : Tag.NONE;
    try {
      return new TransactionCell(
          state, commit, flush, rolledBack, leader, followers, complete, deleted, pass);
    } catch (IllegalArgumentException e) {
      throw new MalformedException("impossible transaction cell", e);
    }
  }

  /** Returns the proof at the end of the cell, regardless of where its lists end. */
  private static Tag proof(byte[] array, int offset) {
    Decoder in = new Decoder(array, offset, PROOF_BYTES);
    int kind = in.u8();
    Tag pass = Tag.read(in);
    if (kind != PASS || pass.equals(Tag.NONE)) {
      throw new MalformedException("unknown proof in transaction cell, kind=" + kind);
    }
    return pass;
  }

  private static List<RowFamily> followers(Decoder in, Part part) {
    if (part == Part.ALL) {
      return EncodedList.read(in, 3, Decoder::skipPlace, Decoder::place);
    }
    if (part == Part.ALL_BUT_FOLLOWERS) {
      for (int left = in.count(3); left > 0; left--) {
        in.skipPlace();
      }
    }
    return OMITTED;
  }

  /** Decodes a whole array. */
  public static TransactionCell decode(byte[] array) {
    return decode(array, 0, array.length);
  }
}
