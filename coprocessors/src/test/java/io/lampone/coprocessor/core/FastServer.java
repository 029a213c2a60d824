package io.lampone.coprocessor.core;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fastpath.ColumnValue;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.coprocessor.core.fastpath.FastPlan.Written;
import io.lampone.coprocessor.core.fastpath.FastRegion;
import io.lampone.coprocessor.core.fastpath.FencedAttempts;
import io.lampone.coprocessor.core.intent.KnownRows;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.SettledRows;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.util.List;

/** One server with one region whose rows are in memory; every write is visible at once. */
public class FastServer {

  static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);

  /** Name of the user of every request. */
  static final String USER = "alice";

  public final LocalVersionClock clock;
  public final FastRegion region;
  final ConflictLevel level;
  private long operations;

  /** The safe point. */
  long safePoint = t(0);

  /** The schema floor of the table. */
  public long schemaFloor;

  /** One for which every timestamp has been issued. */
  public FastServer(ConflictLevel level) {
    this(level, new LocalVersionClock());
    clock.issued(Timestamps.MAX);
  }

  public FastServer(ConflictLevel level, LocalVersionClock clock) {
    this.level = level;
    this.clock = clock;
    this.region =
        FastRegion.opened(
            clock,
            new SettledRows(),
            new KnownRows(),
            new FencedAttempts(SystemClock.INSTANCE),
            () -> {});
    region.recent().openedBelow(t(0));
    clock.bump(t(0));
  }

  /** Returns the safe point, each time that an attempt asks for it. */
  protected long safePoint() {
    return safePoint;
  }

  public static long t(int number) {
    return BASE + number * Timestamps.TICK;
  }

  OperationId nextId() {
    return new OperationId(7, ++operations);
  }

  /** Executes an operation on one row and returns its outcome. */
  public Outcome run(FastOperation operation, MemoryRow row) throws IOException {
    return run(new FastWrite(0, 0, false, List.of(operation)), row).get(0);
  }

  public List<Outcome> run(RegionRequest request, MemoryRow... rows) throws IOException {
    FastAttempt attempt = attempt(request);
    try {
      List<Written> written = attempt.decide(List.of(rows));
      for (int i = 0; i < rows.length; i++) {
        rows[i].apply(written.get(i).writes());
      }
      return written.stream().map(Written::outcome).toList();
    } finally {
      attempt.end();
    }
  }

  public FastAttempt attempt(RegionRequest request) {
    return attempt(request, true);
  }

  public FastAttempt attempt(RegionRequest request, boolean exclusive) {
    TableRules rules = new TableRules("t", level, t(0), 1 << 20, false, 0, schemaFloor);
    return new FastAttempt(
        request, new FastAttempt.Setting(USER, region, rules, this::safePoint, exclusive));
  }

  public FastOperation operation(MemoryRow row, FastCondition condition, Mutation... mutations) {
    return new FastOperation(row.key(), nextId(), false, t(0), condition, true, List.of(mutations));
  }

  public FastOperation blind(MemoryRow row, Mutation... mutations) {
    return operation(row, new FastCondition.Always(), mutations);
  }

  public static Mutation put(Bytes qualifier, String value) {
    return new Mutation(Kind.PUT, MemoryRow.F, qualifier, Bytes.utf8(value));
  }

  public static Mutation delete(Bytes qualifier) {
    return new Mutation(Kind.DELETE_COLUMN, MemoryRow.F, qualifier, Bytes.EMPTY);
  }

  public static Mutation deleteFamily(Bytes family) {
    return new Mutation(Kind.DELETE_FAMILY, family, Bytes.EMPTY, Bytes.EMPTY);
  }

  public static Mutation increment(Bytes qualifier, long amount) {
    return new Mutation(Kind.INCREMENT, MemoryRow.F, qualifier, number(amount));
  }

  public static Mutation append(Bytes qualifier, String value) {
    return new Mutation(Kind.APPEND, MemoryRow.F, qualifier, Bytes.utf8(value));
  }

  public static Bytes number(long value) {
    return Bytes.wrap(java.nio.ByteBuffer.allocate(Long.BYTES).putLong(value).array());
  }

  /** What is committed in a column of the first family; null if nothing is. */
  public static Bytes value(MemoryRow row, Bytes qualifier) throws IOException {
    return ColumnValue.read(row, "t", Place.column(MemoryRow.F, qualifier), 0).value();
  }
}
