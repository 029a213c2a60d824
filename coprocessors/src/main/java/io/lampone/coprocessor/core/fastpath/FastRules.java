package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.SettledRows;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.FastCondition.Compare;
import io.lampone.protocol.request.FastCondition.Operator;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastCondition.SchemaUnchanged;
import io.lampone.protocol.request.FastCondition.Unchanged;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastReply.ResultCell;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.RequestLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Rules for each row of one attempt at a write that is committed at birth (protocol page, section
 * 8). Called under the row's exclusive lock, except for rows that were only read, after checking
 * that the server may draw a version.
 */
public final class FastRules {

  /** Limit of the cells of a row that are searched for an operation. */
  public static final int MAX_SEARCHED = 1 << 18;

  private final String table;
  private final ConflictLevel level;
  private final long tableFloor;
  private final long schemaFloor;
  private final RecentVersions recent;
  private final SettledRows.OfRegion settled;
  private final long maxCellBytes;
  private final LocalVersionClock clock;

  /** Bytes that increments and appends have made in all rows of the attempt. */
  private long builtBytes;

  public FastRules(TableRules rules, FastRegion region) {
    this.table = rules.table();
    this.level = rules.level();
    this.tableFloor = rules.floor();
    this.schemaFloor = rules.schemaFloor();
    this.maxCellBytes = rules.maxCellBytes();
    this.recent = region.recent();
    this.clock = region.clock();
    this.settled = region.settled();
  }

  /**
   * Plans an operation of the fast path.
   *
   * @param look whether to search for its id first
   */
  FastPlan plan(FastOperation operation, StoredRow row, boolean look) throws IOException {
    if (look) {
      long before = versionOf(operation.id(), row, operation.firstMark());
      if (before != 0) {
        return FastPlan.ended(appliedBefore(operation, row, before));
      }
    }
    if (operation.condition() instanceof SchemaUnchanged schema && schema.known() < schemaFloor) {
      return FastPlan.ended(Outcome.of(FastReply.Kind.CONFLICT, schemaFloor));
    }
    WriteBlockers blockers = blockers(row);
    if (operation.condition() instanceof Unchanged unchanged) {
      List<Place> scope = unchanged.scope();
      blockers.find(scope, unchanged.version(), recent);
      if (blockers.highestCommit() > unchanged.version()) {
        return FastPlan.ended(Outcome.of(FastReply.Kind.CONFLICT, blockers.highestCommit()));
      }
      boolean writes = !operation.mutations().isEmpty();
      if (level == ConflictLevel.CELL && !scope.isEmpty() && writes) {
        // The written places must be free of intents, too, and may lie outside the scope.
        blockers.findIntents(places(operation.mutations()));
      }
    } else if (!operation.mutations().isEmpty()) {
      blockers.findIntents(places(operation.mutations()));
    }
    if (blockers.intent() != null) {
      return FastPlan.ended(Outcome.busy(blockers.intent()));
    }
    long now = clock.current();
    long expiry = FamilyRetention.NEVER;
    if (operation.condition() instanceof Compare compare) {
      ColumnValue stored =
          ColumnValue.read(row, table, Place.column(compare.family(), compare.qualifier()), now);
      if (stored.intent() != null) {
        return FastPlan.ended(Outcome.busy(stored.intent()));
      }
      if (!holds(compare, stored)) {
        return FastPlan.ended(Outcome.of(FastReply.Kind.CONDITION_FALSE, 0));
      }
      expiry = stored.expiry();
    }
    FastEffects effects = effects(operation.mutations(), row, now);
    if (effects.intent() != null) {
      return FastPlan.ended(Outcome.busy(effects.intent()));
    }
    return effects.isBadValue()
        ? FastPlan.ended(Outcome.of(FastReply.Kind.BAD_VALUE, 0))
        : FastPlan.apply(effects, blockers.highestCommit(), Math.min(expiry, effects.expiry()));
  }

  /** Plans the part of a one-region commit that concerns one row. */
  FastPlan plan(long start, RowIntents intents, StoredRow row, boolean look) throws IOException {
    if (look) {
      long before = versionOf(OperationId.ofTransaction(start), row, start);
      if (before != 0) {
        return FastPlan.ended(Outcome.of(FastReply.Kind.APPLIED_BEFORE, before));
      }
    }
    List<Mutation> mutations = mutations(intents);
    WriteBlockers blockers = blockers(row);
    blockers.find(places(mutations), start, recent);
    if (blockers.highestCommit() > start) {
      return FastPlan.ended(Outcome.of(FastReply.Kind.CONFLICT, blockers.highestCommit()));
    }
    TransactionId intent = blockers.intent();
    if (intent != null) {
      if (intent.startTimestamp() == start) {
        throw Refused.because(
            Refusal.Code.MALFORMED, row.key(), "transaction has flushed intents, start=" + start);
      }
      return FastPlan.ended(Outcome.busy(intent));
    }
    FastEffects effects = effects(mutations, row, clock.current());
    // The clock has already been raised to the snapshot; the proof does not depend on that alone.
    return FastPlan.apply(effects, Math.max(start, blockers.highestCommit()), effects.expiry());
  }

  private FastEffects effects(List<Mutation> mutations, StoredRow row, long now)
      throws IOException {
    FastEffects effects = new FastEffects(row, table, now);
    for (Mutation mutation : mutations) {
      effects.add(mutation, maxCellBytes);
      if (builtBytes + effects.builtBytes() > RequestLimits.MAX_BUILT_BYTES) {
        throw Refused.because(
            Refusal.Code.TOO_LARGE,
            row.key(),
            "increments and appends of one request make too many bytes: send several, limit="
                + RequestLimits.MAX_BUILT_BYTES);
      }
    }
    builtBytes += effects.builtBytes();
    effects.requireReadable();
    return effects;
  }

  /** Returns intents and commits above {@code start} in what was read of a row, without a lock. */
  WriteBlockers find(RowRead read, long start, StoredRow row) throws IOException {
    WriteBlockers blockers = blockers(row);
    blockers.find(read.scope(), start, recent);
    return blockers;
  }

  /**
   * Returns the version of the cells that the operation {@code id} has written above {@code above};
   * 0 if there are none. Reads every such cell of the row; only repeated requests need this. Fails
   * if these are too many: it is read under the row's lock.
   */
  static long versionOf(OperationId id, StoredRow row, long above) throws IOException {
    long[] found = new long[1];
    int[] left = {MAX_SEARCHED};
    row.visit(
        new StoredRow.Selection(row.families(), List.of(), above + 1, Long.MAX_VALUE - 1),
        cell -> {
          if (cell.isOf(id)) {
            found[0] = cell.version();
            return StoredRow.Next.STOP;
          }
          if (--left[0] < 0) {
            throw Refused.because(
                Refusal.Code.TOO_LARGE,
                "the row has too many cells to be searched for an operation, limit="
                    + MAX_SEARCHED
                    + " above="
                    + above);
          }
          return StoredRow.Next.VERSION;
        });
    return found[0];
  }

  private Outcome appliedBefore(FastOperation operation, StoredRow row, long version)
      throws IOException {
    List<ResultCell> cells = new ArrayList<>();
    Map<Bytes, Set<Bytes>> seen = new HashMap<>();
    for (Mutation mutation : operation.mutations()) {
      Bytes family = mutation.family();
      boolean isBuilt = mutation.kind() == Kind.INCREMENT || mutation.kind() == Kind.APPEND;
      if (operation.returnsCells()
          && isBuilt
          && seen.computeIfAbsent(family, f -> new HashSet<>()).add(mutation.qualifier())) {
        row.visit(
            new StoredRow.Selection(
                List.of(family), List.of(mutation.qualifier()), version, version),
            cell -> {
              cells.add(new ResultCell(family, mutation.qualifier(), Bytes.wrap(cell.value())));
              return StoredRow.Next.STOP;
            });
      }
    }
    return new Outcome(FastReply.Kind.APPLIED_BEFORE, version, Optional.empty(), cells);
  }

  private WriteBlockers blockers(StoredRow row) {
    return new WriteBlockers(row, table, level, tableFloor, settled);
  }

  /** Returns the places that the mutations change; empty = the row. */
  private static List<Place> places(List<Mutation> mutations) {
    List<Place> places = new ArrayList<>(mutations.size());
    for (Mutation mutation : mutations) {
      switch (mutation.kind()) {
        case DELETE_ROW -> {
          return List.of();
        }
        case DELETE_FAMILY -> places.add(Place.family(mutation.family()));
        default -> places.add(Place.column(mutation.family(), mutation.qualifier()));
      }
    }
    return places;
  }

  private static List<Mutation> mutations(RowIntents intents) {
    List<Mutation> mutations = new ArrayList<>();
    for (FamilyIntents family : intents.families()) {
      for (IntentCell cell : family.cells()) {
        mutations.add(
            new Mutation(
                kind(cell),
                family.family(),
                cell.qualifier(),
                cell.kind() == IntentKind.PUT ? cell.value() : Bytes.EMPTY,
                cell.lifetimeMillis()));
      }
    }
    return mutations;
  }

  private static Kind kind(IntentCell cell) {
    return switch (cell.kind()) {
      case PUT -> Kind.PUT;
      case DELETE_COLUMN -> Kind.DELETE_COLUMN;
      case DELETE_FAMILY -> Kind.DELETE_FAMILY;
    };
  }

  /** Compares as HBase does: the given value with the stored one; empty matches absent or empty. */
  private static boolean holds(Compare compare, ColumnValue stored) {
    Bytes value = stored.value();
    if (compare.value().isEmpty()) {
      boolean nothing = value == null || value.isEmpty();
      return nothing == (compare.operator() != Operator.NOT_EQUAL);
    }
    return value != null && compare.operator().holds(compare.value().compareTo(value));
  }
}
