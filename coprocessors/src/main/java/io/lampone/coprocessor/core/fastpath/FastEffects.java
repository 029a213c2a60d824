package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.fence.Refused;
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
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  /** Maximum length of a list's cell beside the list. */
  private static final int LIST_HEAD_BYTES = 64;

  private static final Bytes ZERO = Bytes.wrap(new byte[Long.BYTES]);

  private final StoredRow row;
  private final String table;
  private final long now;
  private final Map<Bytes, FamilyEffects> families = new LinkedHashMap<>();

  /** Results of increments and appends; null where a later one of the column replaces it. */
  private final List<@Nullable Built> built = new ArrayList<>();

  private long builtBytes;

  /** Intent that blocks the operation; null if there is none. */
  private @Nullable TransactionId intent;

  private boolean badValue;

  /** Earliest expiry of the values that increments and appends have read. */
  private long expiry = FamilyRetention.NEVER;

  /** Value to put, which grows with appends. */
  private static final class NewValue {
    private byte[] bytes;
    private int length;
    private long lifetimeMillis;
    private final Bytes labels;

    NewValue(Bytes value, long lifetimeMillis, Bytes labels) {
      this.bytes = value.unsafeArray();
      this.length = bytes.length;
      this.lifetimeMillis = lifetimeMillis;
      this.labels = labels;
    }

    NewValue(Bytes value, long lifetimeMillis) {
      this(value, lifetimeMillis, Bytes.EMPTY);
    }

    void append(Bytes more) {
      int longer = length + more.length();
      if (longer > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(longer, bytes.length << 1));
      }
      System.arraycopy(more.unsafeArray(), 0, bytes, length, more.length());
      length = longer;
    }

    Bytes value() {
      if (length < bytes.length) {
        bytes = Arrays.copyOf(bytes, length);
      }
      return Bytes.wrap(bytes);
    }
  }

  private record Built(Bytes family, Bytes qualifier, NewValue value) {}

  /** Effects on one family: value per column; an empty one = deleted. */
  private static final class FamilyEffects {
    private final Map<Bytes, Optional<NewValue>> columns = new LinkedHashMap<>();

    /** Index in the list of results. */
    private final Map<Bytes, Integer> built = new HashMap<>();

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
    return built.stream()
        .filter(Objects::nonNull)
        .map(b -> new ResultCell(b.family(), b.qualifier(), b.value().value()))
        .toList();
  }

  /** Returns the bytes of the values that increments and appends have made. */
  long builtBytes() {
    return builtBytes;
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

  /**
   * Checks that readers will be able to decode the lists of deleted columns.
   *
   * @throws Refused TOO_LARGE
   */
  void requireReadable() {
    for (FamilyEffects effects : families.values()) {
      long bytes = LIST_HEAD_BYTES;
      for (Map.Entry<Bytes, Optional<NewValue>> column : effects.columns.entrySet()) {
        if (column.getValue().isEmpty()) {
          bytes += DeletedColumn.encodedBytes(column.getKey());
        }
      }
      if (bytes > TransactionCell.MAX_BYTES) {
        throw Refused.because(
            Refusal.Code.TOO_LARGE,
            row.key(),
            "too many columns of one row and family are deleted at once: delete the family or the"
                + " row, or use several calls, bytes="
                + bytes
                + " limit="
                + TransactionCell.MAX_BYTES);
      }
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
        new CellWrite(
            family, qualifier, version, value.value(), stored, value.lifetimeMillis, value.labels));
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
    Optional<NewValue> here = family.columns.get(mutation.qualifier());
    int held = here == null ? 0 : here.map(value -> value.length).orElse(0);
    NewValue value = here == null ? stored(family, mutation) : here.orElse(null);
    if (intent != null) {
      return;
    }
    if (mutation.kind() == Kind.APPEND) {
      value = value == null ? new NewValue(Bytes.EMPTY, FamilyRetention.FOREVER) : value;
      value.append(mutation.value());
    } else {
      Bytes number = value == null ? ZERO : value.value();
      badValue = number.length() != Long.BYTES || mutation.value().length() != Long.BYTES;
      Bytes sum = badValue ? Bytes.EMPTY : sum(number, mutation.value());
      Bytes labels = value == null ? Bytes.EMPTY : value.labels;
      value = new NewValue(sum, FamilyRetention.FOREVER, labels);
    }
    value.lifetimeMillis = mutation.lifetimeMillis();
    badValue |= maxCellBytes > 0 && value.length > maxCellBytes;
    builtBytes += value.length - held;
    family.columns.put(mutation.qualifier(), Optional.of(value));
    Integer earlier = family.built.put(mutation.qualifier(), built.size());
    if (earlier != null) {
      built.set(earlier, null);
    }
    built.add(new Built(mutation.family(), mutation.qualifier(), value));
  }

  private @Nullable NewValue stored(FamilyEffects family, Mutation mutation) throws IOException {
    if (family.deleted) {
      return null;
    }
    ColumnValue stored =
        ColumnValue.read(row, table, Place.column(mutation.family(), mutation.qualifier()), now);
    intent = stored.intent();
    expiry = Math.min(expiry, stored.expiry());
    return stored.value() == null
        ? null
        : new NewValue(stored.value(), FamilyRetention.FOREVER, stored.labels());
  }

  private static Bytes sum(Bytes first, Bytes second) {
    long sum = number(first) + number(second);
    return Bytes.wrap(new Encoder(Long.BYTES).i64(sum).toByteArray());
  }

  private static long number(Bytes bytes) {
    return new Decoder(bytes.unsafeArray()).i64();
  }
}
