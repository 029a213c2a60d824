package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Everything that changes transactional data: one request for one region, carried in the attribute
 * {@link #ATTRIBUTE} of the Put inside one CheckAndMutate (protocol page, section 3). Either all of
 * a request is applied or nothing. {@link RegionRequestCodec} turns it into bytes.
 */
public sealed interface RegionRequest
    permits RegionRequest.Flush,
        RegionRequest.CommitLeader,
        RegionRequest.AbortLeader,
        RegionRequest.FinishLeader,
        RegionRequest.Heal,
        RegionRequest.Settle,
        FastWrite,
        OneRegionCommit,
        OperationLookup {

  /** Name of the attribute on the Put. */
  String ATTRIBUTE = "lampone.write";

  /** Start timestamp of the transaction that the request is about; 0 = it is about none. */
  long startTimestamp();

  /** Smallest start timestamp still admissible, as the sender knows it. */
  long floor();

  /** The rows that the request changes, in ascending order, each once. */
  List<Bytes> rows();

  /**
   * Puts write intents (protocol page, section 4).
   *
   * @param level the level of the table as the sender knows it; another one is refused
   * @param leader the address of the commit entry, fixed before the first flush
   * @param flushNumber above every number that this transaction used before
   * @param intents what is written, ascending by row
   * @param grant of the transaction's owner
   */
  record Flush(
      long startTimestamp,
      long floor,
      ConflictLevel level,
      RowFamily leader,
      long flushNumber,
      List<RowIntents> intents,
      Grant grant)
      implements RegionRequest {

    public Flush {
      intents = List.copyOf(intents);
    }

    @Override
    public List<Bytes> rows() {
      return intents.stream().map(RowIntents::row).toList();
    }
  }

  /** Intents that a flush writes into one row. */
  record RowIntents(Bytes row, List<FamilyIntents> families) {
    public RowIntents {
      families = List.copyOf(families);
    }
  }

  /**
   * Intents that a flush writes into one family of one row. It may hold no cell: then only the
   * transaction cell is written (new rolled-back slots, or the leader's completed list).
   *
   * @param rolledBackSlots all slots rolled back so far
   * @param followers only for the leader's row and family: the other transaction cells
   * @param cells in the order in which the application wrote them, at most one per slot and column
   */
  record FamilyIntents(
      Bytes family,
      SlotSet rolledBackSlots,
      Optional<FollowerList> followers,
      List<IntentCell> cells) {
    public FamilyIntents {
      cells = List.copyOf(cells);
    }
  }

  /**
   * The list of followers that the leader's cell holds.
   *
   * @param complete whether no transaction cell is missing
   */
  record FollowerList(List<RowFamily> places, boolean complete) {

    /** Of a transaction with more places than may be listed, or that are not all known yet. */
    public static final FollowerList INCOMPLETE = new FollowerList(List.of(), false);

    public FollowerList {
      places = List.copyOf(places);
    }

    /** All {@code places}, if they may be listed. */
    public static FollowerList ofAll(List<RowFamily> places, int limit) {
      if (places.size() > Math.min(limit, RequestLimits.MAX_FOLLOWERS)) {
        return INCOMPLETE;
      }
      Encoder out = new Encoder(1024);
      out.length(places.size());
      places.forEach(out::place);
      return out.size() > RequestLimits.MAX_FOLLOWER_BYTES
          ? INCOMPLETE
          : new FollowerList(places, true);
    }

    /** Refuses a list of so many encoded bytes, its count among them. */
    static void requireBytes(int bytes) {
      if (bytes > RequestLimits.MAX_FOLLOWER_BYTES) {
        throw new TooLargeException(
            "too many bytes of followers", bytes, RequestLimits.MAX_FOLLOWER_BYTES);
      }
    }
  }

  /**
   * One written cell.
   *
   * @param slot savepoint slot, 0..127
   * @param kind what is written
   * @param qualifier the column; empty for a family delete (and legal for the others)
   * @param value the value of a put; empty otherwise (and legal for a put), except of a family
   *     delete that is part of a {@linkplain #deletingRow row's}
   * @param lifetimeMillis of the value of a put; {@link FamilyRetention#FOREVER} = as long as its
   *     family says
   */
  record IntentCell(int slot, IntentKind kind, Bytes qualifier, Bytes value, long lifetimeMillis) {

    public IntentCell {
      if (kind != IntentKind.PUT && lifetimeMillis != FamilyRetention.FOREVER) {
        throw new MalformedException("only a put has a lifetime, kind=" + kind);
      }
    }

    /**
     * The value of a family delete that stands, with those of all other families, for the delete of
     * a row. A server whose table has another number of them refuses it: the sender does not know
     * of all, and cells of the others would survive.
     *
     * @param families how many the table has, as the sender knows
     */
    public static Bytes deletingRow(int families) {
      return Bytes.utf8(Integer.toString(families));
    }

    /** A cell without a lifetime of its own. */
    public IntentCell(int slot, IntentKind kind, Bytes qualifier, Bytes value) {
      this(slot, kind, qualifier, value, FamilyRetention.FOREVER);
    }
  }

  /** Effect of an intent on its column or family. */
  enum IntentKind {
    PUT(1),
    /** Deletes all older versions of one column. */
    DELETE_COLUMN(2),
    /** Deletes all older versions of all columns of the family. */
    DELETE_FAMILY(3);

    private final int code;

    IntentKind(int code) {
      this.code = code;
    }

    /** The byte that stands for this kind. */
    public int code() {
      return code;
    }

    /** The kind of a byte. */
    public static IntentKind ofCode(int code) {
      return switch (code) {
        case 1 -> PUT;
        case 2 -> DELETE_COLUMN;
        case 3 -> DELETE_FAMILY;
        default -> throw new MalformedException("unknown intent kind, code=" + code);
      };
    }
  }

  /**
   * The commit point: the leader's cell PENDING, present -> COMMITTED (protocol page, section 4).
   * All cells of the transaction in the row change in one mutation.
   *
   * @param pass the transaction manager's statement that it has validated the transaction
   */
  record CommitLeader(
      long startTimestamp, long floor, Bytes row, Bytes family, long commitTimestamp, Tag pass)
      implements RegionRequest {
    @Override
    public List<Bytes> rows() {
      return List.of(row);
    }
  }

  /**
   * The leader's cell PENDING -> ABORTED (protocol page, section 4). Without a proof it is left as
   * it is, and answered, unless the transaction is so old that any client may abort it.
   *
   * @param plantOnAbsence whether an absent cell becomes ABORTED too; refused below the safe point
   * @param proof the owner's grant, or the transaction manager's statement
   */
  record AbortLeader(
      long startTimestamp, long floor, Bytes row, Bytes family, boolean plantOnAbsence, Proof proof)
      implements RegionRequest {
    @Override
    public List<Bytes> rows() {
      return List.of(row);
    }
  }

  /**
   * The leader's cell COMMITTED -> FINAL: every follower has been healed (protocol page, section
   * 4).
   *
   * @param proof the owner's grant, or a region server's statement
   */
  record FinishLeader(
      long startTimestamp, long floor, Bytes row, Bytes family, long commitTimestamp, Proof proof)
      implements RegionRequest {
    @Override
    public List<Bytes> rows() {
      return List.of(row);
    }
  }

  /**
   * Writes a known fate onto followers: all of the transaction's cells in these rows that are
   * PENDING (protocol page, section 4). A leader among them is left alone.
   *
   * @param leader whose fate it is: what names another leader, or is one, is not changed by it
   * @param fate as a region server has stated it
   */
  record Heal(long startTimestamp, long floor, List<Bytes> rows, RowFamily leader, Fate fate)
      implements RegionRequest {
    public Heal {
      rows = List.copyOf(rows);
    }

    /** The commit timestamp, or 0 if the transaction has been aborted. */
    public long commitTimestamp() {
      return fate.commitTimestamp();
    }
  }

  /**
   * The work after the commits of several transactions, in one request: each part is as if it came
   * by itself (protocol page, section 3), but all are applied or none.
   *
   * @param parts each a {@link Heal} of committed ones or a {@link FinishLeader}
   */
  record Settle(long floor, List<RegionRequest> parts) implements RegionRequest {
    public Settle {
      parts = List.copyOf(parts);
      for (RegionRequest part : parts) {
        boolean heals = part instanceof Heal heal && heal.commitTimestamp() != 0;
        if (!heals && !(part instanceof FinishLeader)) {
          throw new MalformedException("not work after a commit, part=" + part);
        }
      }
    }

    /** It is about several transactions. */
    @Override
    public long startTimestamp() {
      return 0;
    }

    @Override
    public List<Bytes> rows() {
      return List.copyOf(partsByRow().keySet());
    }

    /** The parts that name a row, in their order, by row in ascending order. */
    public SortedMap<Bytes, List<RegionRequest>> partsByRow() {
      SortedMap<Bytes, List<RegionRequest>> byRow = new TreeMap<>();
      for (RegionRequest part : parts) {
        for (Bytes row : part.rows()) {
          byRow.computeIfAbsent(row, r -> new ArrayList<>(1)).add(part);
        }
      }
      return byRow;
    }
  }
}
