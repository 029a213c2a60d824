package io.lampone.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The one cell per row and family in which a transaction keeps its state: qualifier {@link
 * Reserved#TRANSACTION}, version = start timestamp (protocol page, section 2).
 *
 * <pre>
 *   cell      = version:u8=1  state:u8  commit:i64  flush:i64  rolledBack:2*i64  role
 *               deletedColumns
 *   role      = 0:u8 leader:place                              a follower
 *             | 1:u8 complete:bool count:length place*         the leader with its followers
 *   deletedColumns = count:length (slot:u8 qualifier:bytes)*
 *   place     = table:text row:bytes family:bytes
 *   bytes     = length (LEB128) byte*;  text = the same in UTF-8;  i64 big-endian
 * </pre>
 *
 * @param state where the transaction stands, as far as this cell knows
 * @param commitTimestamp the commit timestamp, 0 unless the state is COMMITTED or FINAL
 * @param flushNumber number of the newest flush that was applied to this row and family; an intent
 *     put with a number that is not above it is acknowledged and not applied
 * @param rolledBackSlots savepoint slots whose cells at this row and family do not count
 * @param leader where the commit entry is; empty on the leader itself
 * @param followers on the leader: every other transaction cell, as far as recorded
 * @param followersComplete on the leader: whether the list is whole, which it is before the commit
 *     request leaves unless the transaction is larger than the list may be
 * @param deletedColumns the column tombstones: an empty-valued cell of this transaction in that
 *     slot and column is a delete, not an empty value
 */
public record TransactionCell(
    TransactionState state,
    long commitTimestamp,
    long flushNumber,
    SlotSet rolledBackSlots,
    Optional<RowFamily> leader,
    List<RowFamily> followers,
    boolean followersComplete,
    List<DeletedColumn> deletedColumns) {

  private static final int FORMAT = 1;
  private static final int FOLLOWER = 0;
  private static final int LEADER = 1;

  /** A column tombstone of one savepoint slot. */
  public record DeletedColumn(int slot, Bytes qualifier) {}

  public TransactionCell {
    followers = List.copyOf(followers);
    deletedColumns = List.copyOf(deletedColumns);
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
  }

  /** A pending follower. */
  public static TransactionCell follower(RowFamily leader, long flushNumber) {
    return new TransactionCell(
        TransactionState.PENDING,
        0,
        flushNumber,
        SlotSet.NONE,
        Optional.of(leader),
        List.of(),
        false,
        List.of());
  }

  /** A pending leader. */
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
        List.of());
  }

  /** Whether this cell is the transaction's commit entry. */
  public boolean isLeader() {
    return leader.isEmpty();
  }

  /** This cell in another state; 0 as commit timestamp where there is none. */
  public TransactionCell withState(TransactionState newState, long newCommitTimestamp) {
    return new TransactionCell(
        newState,
        newCommitTimestamp,
        flushNumber,
        rolledBackSlots,
        leader,
        followers,
        followersComplete,
        deletedColumns);
  }

  /** Whether this transaction's cell of {@code slot} at {@code qualifier} is a tombstone. */
  public boolean deletes(int slot, Bytes qualifier) {
    for (DeletedColumn deleted : deletedColumns) {
      if (deleted.slot() == slot && deleted.qualifier().equals(qualifier)) {
        return true;
      }
    }
    return false;
  }

  /** The bytes of the cell's value. */
  public byte[] encode() {
    Encoder out = new Encoder(64);
    out.u8(FORMAT).u8(state.code()).i64(commitTimestamp).i64(flushNumber).slots(rolledBackSlots);
    if (leader.isPresent()) {
      out.u8(FOLLOWER).place(leader.get());
    } else {
      out.u8(LEADER).bool(followersComplete).length(followers.size());
      followers.forEach(out::place);
    }
    out.length(deletedColumns.size());
    deletedColumns.forEach(d -> out.u8(d.slot()).bytes(d.qualifier()));
    return out.toByteArray();
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws MalformedException if the bytes are not a transaction cell of this format
   */
  public static TransactionCell decode(byte[] array, int offset, int length) {
    Decoder in = new Decoder(array, offset, length);
    in.version(FORMAT, "transaction cell");
    TransactionState state = TransactionState.ofCode(in.u8());
    long commit = in.i64();
    long flush = in.i64();
    SlotSet rolledBack = in.slots();
    int role = in.u8();
    Optional<RowFamily> leader = Optional.empty();
    List<RowFamily> followers = new ArrayList<>();
    boolean complete = false;
    if (role == FOLLOWER) {
      leader = Optional.of(in.place());
    } else if (role == LEADER) {
      complete = in.bool();
      for (int left = in.count(3); left > 0; left--) {
        followers.add(in.place());
      }
    } else {
      throw new MalformedException("unknown role in transaction cell, role=" + role);
    }
    List<DeletedColumn> deleted = new ArrayList<>();
    for (int left = in.count(2); left > 0; left--) {
      int slot = in.u8();
      deleted.add(new DeletedColumn(slot, in.bytes()));
    }
    in.end("transaction cell");
    try {
      return new TransactionCell(
          state, commit, flush, rolledBack, leader, followers, complete, deleted);
    } catch (IllegalArgumentException e) {
      throw new MalformedException("impossible transaction cell", e);
    }
  }

  /** Reads a whole array. */
  public static TransactionCell decode(byte[] array) {
    return decode(array, 0, array.length);
  }
}
