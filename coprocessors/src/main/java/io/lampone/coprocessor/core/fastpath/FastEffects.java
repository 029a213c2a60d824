package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.TransactionCells;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionCell.DeletedColumn;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReply.ResultCell;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Effects of one operation's mutations on one row, by family, before its version is known. All
 * cells get one version, so only the last of several mutations of one column remains.
 *
 * <p>A put writes as many cells as it has columns. A deleted column gets an empty cell, and the
 * family one additional cell, in the transaction column at the same version, that lists such
 * columns. This is the encoding of transactions, so an empty value remains an empty value.
 */
final class FastEffects {

  private static final NewValue NOTHING = new NewValue(Bytes.EMPTY, FamilyRetention.FOREVER);
  private static final Bytes ZERO = Bytes.wrap(new byte[Long.BYTES]);

  private final StoredRow row;
  private final String table;
  private final long now;
  private final Map<Bytes, FamilyEffects> families = new LinkedHashMap<>();
  private final List<ResultCell> results = new ArrayList<>();

  /** Intent that blocks the operation; null if there is none. */
  private @Nullable TransactionId intent;

  private boolean badValue;

  /** Earliest expiry of the values that increments and appends have read. */
  private long expiry = FamilyRetention.NEVER;

  /** Value to put. */
  private record NewValue(Bytes value, long lifetimeMillis) {}

  /** Effects on one family: value per column; an empty one = deleted. */
  private static final class FamilyEffects {
    private final Map<Bytes, Optional<NewValue>> columns = new LinkedHashMap<>();
    private boolean deleted;
  }

  /**
   * @param now values that have expired by then count as absent
   */
  FastEffects(StoredRow row, String table, long now) {
    this.row = row;
    this.table = table;
    this.now = now;
  }

  /** Returns an intent in a column that an increment or append reads; null if there is none. */
  @Nullable TransactionId intent() {
    return intent;
  }

  /** Returns true if an increment or append finds a value that it cannot work on. */
  boolean isBadValue() {
    return badValue;
  }

  /**
   * Returns the highest permitted version: above it, values that the effects depend on have
   * expired.
   */
  long expiry() {
    return expiry;
  }

  /** Returns the results of increments and appends, in the order of the operation's mutations. */
  List<ResultCell> results() {
    return results;
  }

  boolean isEmpty() {
    return families.isEmpty();
  }

  /** Adds a mutation; after an intent or a bad value the rest does not matter. */
  void add(Mutation mutation, long maxCellBytes) throws IOException {
    CellWrite.requireLifetime(row, mutation.family(), mutation.lifetimeMillis());
    switch (mutation.kind()) {
      case PUT -> put(family(mutation), mutation, mutation.value());
      case DELETE_COLUMN -> {
        FamilyEffects family = family(mutation);
        if (family.deleted) {
          family.columns.remove(mutation.qualifier());
        } else {
          family.columns.put(mutation.qualifier(), Optional.empty());
        }
      }
      case DELETE_FAMILY -> delete(mutation.family());
      case DELETE_ROW -> row.families().forEach(this::delete);
      case INCREMENT, APPEND -> build(mutation, maxCellBytes);
    }
  }

  /** Returns the cells at {@code version}; the first one carries {@code id}. */
  List<CellWrite> writes(long version, OperationId id) {
    List<CellWrite> writes = new ArrayList<>();
    for (Map.Entry<Bytes, FamilyEffects> entry : families.entrySet()) {
      Bytes family = entry.getKey();
      FamilyEffects effects = entry.getValue();
      List<DeletedColumn> deleted = new ArrayList<>();
      if (effects.deleted) {
        add(writes, family, Reserved.FAMILY_TOMBSTONE, version, NOTHING, id);
      }
      for (Map.Entry<Bytes, Optional<NewValue>> column : effects.columns.entrySet()) {
        add(writes, family, column.getKey(), version, column.getValue().orElse(NOTHING), id);
        if (column.getValue().isEmpty()) {
          deleted.add(new DeletedColumn(TransactionCells.BIRTH_SLOT, column.getKey()));
        }
      }
      if (!deleted.isEmpty()) {
        Bytes list = Bytes.wrap(listOf(deleted, version).encode());
        NewValue cell = new NewValue(list, FamilyRetention.FOREVER);
        add(writes, family, Reserved.TRANSACTION, version, cell, id);
      }
    }
    return writes;
  }

  private static void add(
      List<CellWrite> writes,
      Bytes family,
      Bytes qualifier,
      long version,
      NewValue value,
      OperationId id) {
    OperationId stored = writes.isEmpty() ? id : OperationId.NONE;
    writes.add(
        new CellWrite(family, qualifier, version, value.value(), stored, value.lifetimeMillis()));
  }

  private static TransactionCell listOf(List<DeletedColumn> deleted, long version) {
    return new TransactionCell(
        TransactionState.FINAL,
        version,
        0,
        SlotSet.NONE,
        Optional.empty(),
        List.of(),
        true,
        deleted,
        Tag.NONE);
  }

  private FamilyEffects family(Mutation mutation) {
    return families.computeIfAbsent(mutation.family(), f -> new FamilyEffects());
  }

  private static void put(FamilyEffects family, Mutation mutation, Bytes value) {
    family.columns.put(
        mutation.qualifier(), Optional.of(new NewValue(value, mutation.lifetimeMillis())));
  }

  private void delete(Bytes family) {
    FamilyEffects effects = families.computeIfAbsent(family, f -> new FamilyEffects());
    effects.columns.clear();
    effects.deleted = true;
  }

  private void build(Mutation mutation, long maxCellBytes) throws IOException {
    if (intent != null || badValue) {
      return; // nothing will be written; keep the reason
    }
    FamilyEffects family = family(mutation);
    Bytes before = before(family, mutation);
    if (intent != null) {
      return;
    }
    Bytes after;
    if (mutation.kind() == Kind.APPEND) {
      after = concatenate(before == null ? Bytes.EMPTY : before, mutation.value());
    } else {
      Bytes number = before == null ? ZERO : before;
      badValue = number.length() != Long.BYTES || mutation.value().length() != Long.BYTES;
      after = badValue ? Bytes.EMPTY : sum(number, mutation.value());
    }
    badValue |= maxCellBytes > 0 && after.length() > maxCellBytes;
    put(family, mutation, after);
    results.removeIf(
        r -> r.family().equals(mutation.family()) && r.qualifier().equals(mutation.qualifier()));
    results.add(new ResultCell(mutation.family(), mutation.qualifier(), after));
  }

  private @Nullable Bytes before(FamilyEffects family, Mutation mutation) throws IOException {
    Optional<NewValue> here = family.columns.get(mutation.qualifier());
    if (here != null) {
      return here.map(NewValue::value).orElse(null);
    }
    if (family.deleted) {
      return null;
    }
    ColumnValue stored =
        ColumnValue.read(row, table, Place.column(mutation.family(), mutation.qualifier()), now);
    intent = stored.intent();
    expiry = Math.min(expiry, stored.expiry());
    return stored.value();
  }

  private static Bytes concatenate(Bytes first, Bytes second) {
    byte[] all = Arrays.copyOf(first.unsafeArray(), first.length() + second.length());
    System.arraycopy(second.unsafeArray(), 0, all, first.length(), second.length());
    return Bytes.wrap(all);
  }

  private static Bytes sum(Bytes first, Bytes second) {
    long sum = number(first) + number(second);
    return Bytes.wrap(new Encoder(Long.BYTES).i64(sum).toByteArray());
  }

  private static long number(Bytes bytes) {
    return new Decoder(bytes.unsafeArray()).i64();
  }
}
