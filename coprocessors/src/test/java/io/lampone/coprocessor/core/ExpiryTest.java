package io.lampone.coprocessor.core;

import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static io.lampone.coprocessor.core.intent.MemoryRow.ROW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.coprocessor.core.clock.ExhaustedException;
import io.lampone.coprocessor.core.fastpath.ColumnValue;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.coprocessor.core.retention.CollectionScope;
import io.lampone.coprocessor.core.retention.FamilyCollector;
import io.lampone.coprocessor.core.retention.RetentionDecision;
import io.lampone.coprocessor.core.visibility.FamilyView;
import io.lampone.coprocessor.core.visibility.FamilyView.Step;
import io.lampone.coprocessor.core.visibility.LatestView;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionCell.DeletedColumn;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Values that expire, and versions that are limited, against a model: random histories of one row
 * are read at every snapshot, then collected from some of the files or from all at safe points that
 * rise, and read again.
 */
public class ExpiryTest {

  private static final long SEED = Long.getLong("lampone.test.seed", 20_261_121);
  private static final int HISTORIES = Integer.getInteger("lampone.test.histories", 2_500);
  private static final int WRITES = 12;
  private static final int COLLECTIONS = 3;

  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final RowFamily ELSEWHERE = new RowFamily("t", ROW, G);
  private static final List<Bytes> COLUMNS = List.of(Bytes.EMPTY, Bytes.utf8("p"), Bytes.utf8("q"));

  /** A value, or a delete if there is none, of a column, or of all. */
  private record Effect(
      long version, long commit, Optional<Bytes> column, Optional<Bytes> value, long lifetime) {}

  /** A cell of the file that it was written into. */
  private record Stored(Bytes qualifier, long version, Bytes value, long lifetime) {}

  /** One row, its history, and what its cells say of undecided transactions. */
  private static final class History {
    private final Random random;
    private final FamilyRetention retention;
    private final List<Effect> effects = new ArrayList<>();
    private final Map<TransactionId, Fate> judgments = new HashMap<>();
    private final TreeSet<Long> moments = new TreeSet<>();
    private List<Stored> cells = new ArrayList<>();

    History(Random random) {
      this.random = random;
      this.retention =
          new FamilyRetention(
              1 + random.nextInt(3),
              random.nextInt(3),
              random.nextInt(3) == 0 ? FamilyRetention.FOREVER : 1 + random.nextInt(25),
              random.nextInt(3) > 0);
      long now = 0;
      for (int i = 0; i < WRITES; i++) {
        long start = now + 1 + random.nextInt(6);
        long commit = start + 1 + random.nextInt(3);
        now = commit;
        write(at(start), at(commit), i);
      }
      moments.add(at(now + 1));
    }

    private void write(long start, long commit, int number) {
      moments.add(start);
      moments.add(commit);
      boolean atBirth = random.nextInt(4) == 0;
      long version = atBirth ? commit + 128 + random.nextInt(128) : start + random.nextInt(3);
      boolean lost = !atBirth && random.nextInt(6) == 0;
      List<DeletedColumn> deleted = new ArrayList<>();
      long lifetime = random.nextBoolean() ? FamilyRetention.FOREVER : 1 + random.nextInt(25);
      if (random.nextInt(8) == 0) {
        add(Reserved.FAMILY_TOMBSTONE, version, Bytes.EMPTY);
        effect(lost, new Effect(version, commit, Optional.empty(), Optional.empty(), 0));
      } else {
        Bytes column = COLUMNS.get(random.nextInt(COLUMNS.size()));
        boolean delete = random.nextInt(6) == 0;
        Bytes value = delete ? Bytes.EMPTY : Bytes.utf8("v" + number);
        cells.add(new Stored(column, version, value, delete ? 0 : lifetime));
        if (delete) {
          deleted.add(new DeletedColumn(atBirth ? 0 : Timestamps.local(version), column));
        }
        effect(
            lost,
            new Effect(
                version,
                commit,
                Optional.of(column),
                delete ? Optional.empty() : Optional.of(value),
                lifetime));
      }
      for (long own : List.of(FamilyRetention.FOREVER, lifetime)) {
        long expiry = retention.expiry(version, own, false);
        if (expiry != FamilyRetention.NEVER) {
          moments.add(expiry);
          moments.add(expiry + Timestamps.TICK);
        }
      }
      if (retention.cellLifetimes() && lifetime != FamilyRetention.FOREVER) {
        // Those of a cell to which the family's does not apply.
        long own = Timestamps.tick(version) + TimeUnit.MILLISECONDS.toNanos(lifetime);
        moments.add(Timestamps.tick(own));
        moments.add(Timestamps.tick(own) + Timestamps.TICK);
      }
      if (!atBirth) {
        add(Reserved.TRANSACTION, start, Bytes.wrap(cell(start, lost, commit, deleted).encode()));
      } else if (!deleted.isEmpty()) {
        add(
            Reserved.TRANSACTION,
            version,
            Bytes.wrap(
                new TransactionCell(
                        TransactionState.FINAL,
                        version,
                        0,
                        SlotSet.NONE,
                        Optional.empty(),
                        List.of(),
                        true,
                        deleted,
                        Tag.NONE)
                    .encode()));
      }
    }

    private void effect(boolean lost, Effect effect) {
      if (!lost) {
        effects.add(effect);
      }
    }

    /** Decided or not: of what is not, the reader is told what the leader says. */
    private TransactionCell cell(
        long start, boolean lost, long commit, List<DeletedColumn> deleted) {
      TransactionState state =
          random.nextInt(5) == 0
              ? TransactionState.PENDING
              : lost
                  ? TransactionState.ABORTED
                  : random.nextBoolean() ? TransactionState.COMMITTED : TransactionState.FINAL;
      boolean leads = state == TransactionState.FINAL || random.nextBoolean();
      if (state == TransactionState.PENDING) {
        RowFamily leader = leads ? new RowFamily("t", ROW, F) : ELSEWHERE;
        judgments.put(
            new TransactionId(start, leader), lost ? Fate.INVISIBLE : new Fate(commit, Tag.NONE));
      }
      return new TransactionCell(
          state,
          state.isCommitted() ? commit : 0,
          1,
          SlotSet.NONE,
          leads ? Optional.empty() : Optional.of(ELSEWHERE),
          List.of(),
          leads,
          deleted,
          Tag.NONE);
    }

    private void add(Bytes qualifier, long version, Bytes value) {
      cells.add(new Stored(qualifier, version, value, FamilyRetention.FOREVER));
    }

    /** What the column shows, from the newest version on. */
    List<Bytes> expected(Bytes column, long snapshot) {
      List<Bytes> shown = new ArrayList<>();
      for (int i = effects.size() - 1; i >= 0; i--) {
        Effect effect = effects.get(i);
        long commit =
            Timestamps.isCommittedAtBirth(effect.version()) ? effect.version() : effect.commit();
        boolean concerns = effect.column().map(column::equals).orElse(true);
        if (commit >= snapshot || !concerns) {
          continue;
        }
        boolean expired =
            isPast(snapshot, effect.version(), retention.lifetimeMillis())
                    && shown.size() >= retention.minVersions()
                || retention.cellLifetimes()
                    && isPast(snapshot, effect.version(), effect.lifetime());
        if (effect.value().isEmpty() || expired || shown.size() == retention.versions()) {
          break;
        }
        shown.add(effect.value().get());
      }
      return shown;
    }

    private static boolean isPast(long snapshot, long version, long lifetime) {
      return lifetime != FamilyRetention.FOREVER
          && Timestamps.tick(Timestamps.tick(version) + TimeUnit.MILLISECONDS.toNanos(lifetime))
              < snapshot;
    }

    MemoryRow row(List<Stored> of) {
      MemoryRow row = new MemoryRow();
      row.retention = retention;
      for (Stored cell : of) {
        row.put(F, cell.qualifier(), cell.version(), cell.value());
        row.live(F, cell.qualifier(), cell.version(), cell.lifetime());
      }
      return row;
    }

    /** What the server shows: as {@code VisibilityFilter} asks. */
    Map<Bytes, List<Bytes>> seen(long snapshot) throws IOException {
      MemoryRow row = row(cells);
      ReadView view =
          new SnapshotView(
              new ReadRequest(snapshot, false, 0, SlotSet.NONE, judgments), (id, fate) -> true);
      FamilyView family = new FamilyView(view, row, F, random.nextInt(3));
      Map<Bytes, List<Bytes>> shown = new TreeMap<>();
      COLUMNS.forEach(column -> shown.put(column, new ArrayList<>()));
      row.visit(
          new Selection(List.of(F), List.of(), 0, view.highestVersion()),
          cell -> look(family, cell, shown));
      return shown;
    }

    private Next look(FamilyView family, StoredCell cell, Map<Bytes, List<Bytes>> shown)
        throws IOException {
      if (Reserved.isReserved(cell.qualifier())) {
        return family.reserved(cell) == Step.NEXT_VERSION ? Next.VERSION : Next.COLUMN;
      }
      if (cell.qualifier().compareTo(Reserved.PREFIX) < 0) {
        family.readAside();
      }
      Step step = family.data(cell);
      if (step != Step.SHOW) {
        return step == Step.NEXT_VERSION ? Next.VERSION : Next.COLUMN;
      }
      List<Bytes> column = shown.get(cell.qualifier());
      column.add(Bytes.wrap(cell.value()));
      return column.size() == retention.versions() ? Next.COLUMN : Next.VERSION;
    }

    /** Writes some files anew, in the order in which they were written, or all of them. */
    void collect(long safePoint) throws IOException {
      boolean complete = random.nextInt(3) == 0;
      int from = complete ? 0 : random.nextInt(cells.size() + 1);
      int to = complete ? cells.size() : from + random.nextInt(cells.size() - from + 1);
      List<Stored> read = cells.subList(from, to);
      List<Stored> left = new ArrayList<>(cells.subList(0, from));
      FamilyCollector collector =
          new FamilyCollector(new CollectionScope(safePoint, complete, 1, retention));
      visit(
          read,
          cell -> {
            if (Reserved.isReserved(cell.qualifier())) {
              collector.head(cell, 1);
            }
          });
      visit(
          read,
          cell -> {
            RetentionDecision retentionDecision = collector.dispose(cell, 1);
            if (retentionDecision != RetentionDecision.DROP) {
              long version =
                  retentionDecision == RetentionDecision.KEEP
                      ? cell.version()
                      : FamilyCollector.frozen(cell.version());
              left.add(
                  new Stored(
                      cell.qualifier(), version, Bytes.wrap(cell.value()), cell.lifetimeMillis()));
            }
          });
      left.addAll(cells.subList(to, cells.size()));
      cells = left;
    }

    private void visit(List<Stored> of, java.util.function.Consumer<StoredCell> visitor)
        throws IOException {
      row(of)
          .visit(
              new Selection(List.of(F), List.of(), 0, Long.MAX_VALUE),
              cell -> {
                visitor.accept(cell);
                return Next.VERSION;
              });
    }

    void check(long safePoint, String when) throws IOException {
      for (long snapshot : moments.tailSet(safePoint)) {
        Map<Bytes, List<Bytes>> seen = seen(snapshot);
        for (Bytes column : COLUMNS) {
          assertThat(seen.get(column))
              .as("%s, column=%s snapshot=%d %s", when, column, snapshot, retention)
              .isEqualTo(expected(column, snapshot));
        }
      }
    }
  }

  private static long after(long version, long millis) {
    return Timestamps.tick(version + TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private static long at(long millis) {
    return Timestamps.tick(BASE + TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void everySnapshotFromTheSafePointOnSeesWhatTheModelSaysBeforeAndAfterCollections()
      throws IOException {
    long left = 0;
    long written = 0;
    for (int i = 0; i < HISTORIES; i++) {
      long seed = SEED + i;
      History history = new History(new Random(seed));
      history.check(0, "seed=" + seed);
      written += history.cells.size();
      long safePoint = 0;
      for (int c = 0; c < COLLECTIONS; c++) {
        List<Long> later = List.copyOf(history.moments.tailSet(safePoint));
        safePoint = later.get(history.random.nextInt(later.size()));
        history.collect(safePoint);
        history.check(safePoint, "seed=" + seed + " collected at " + safePoint);
      }
      left += history.cells.size();
    }
    assertThat(left).as("something has been collected").isLessThan(written * 3 / 4);
  }

  /** No clock is asked between two reads of a snapshot: only its own timestamp counts. */
  @Test
  void aSnapshotAtTheExpirySeesTheValueAndOneAboveDoesNot() throws IOException {
    FamilyRetention retention = new FamilyRetention(1, 0, 5);
    MemoryRow row = new MemoryRow();
    row.retention = retention;
    // Microseconds of a plain client, which do not expire.
    row.put(F, COLUMNS.get(1), 1_800_000_000_000_000L, Bytes.utf8("oldest"));
    row.put(F, COLUMNS.get(1), at(1) + 128, Bytes.utf8("old"));
    row.put(F, COLUMNS.get(1), at(2) + 128, Bytes.utf8("new"));
    long expiry = retention.expiry(at(2));
    assertThat(latest(row, expiry - 1)).isEqualTo(Bytes.utf8("new"));
    assertThat(latest(row, expiry)).as("and nothing older comes to light").isNull();
  }

  /** What has been read must not have expired at the version that follows from it. */
  @Test
  void aFastWriteKnowsWhenWhatItHasReadExpires() throws IOException {
    MemoryRow row = new MemoryRow();
    row.retention = new FamilyRetention(1, 0, 5);
    row.put(F, COLUMNS.get(1), at(2) + 128, Bytes.utf8("v"));
    ColumnValue value = read(row, at(2) + 200);
    assertThat(value.expiry()).isEqualTo(at(7));
    assertThat(read(row, at(8)).expiry()).isEqualTo(FamilyRetention.NEVER);
    row.retention = new FamilyRetention(1, 1, 5);
    assertThat(read(row, at(8)).expiry()).isEqualTo(FamilyRetention.NEVER);
  }

  /** A snapshot between the expiry and the version would see nothing, and then a sum again. */
  @Test
  void anIncrementOfAValueThatExpiresBeforeTheVersionThatIsDrawnBeginsAgain() throws IOException {
    FastServer server = new FastServer(ConflictLevel.ROW);
    Bytes q = COLUMNS.get(1);
    MemoryRow row = new MemoryRow();
    row.retention = new FamilyRetention(1, 0, 1);
    row.put(F, q, FastServer.t(1) + 128, FastServer.number(41));
    long expiry = row.retention.expiry(FastServer.t(1));
    server.clock.bump(expiry - Timestamps.TICK);
    // Somebody has committed above, which the write has to be above, too.
    row.put(
        G,
        FastServer.t(2),
        TransactionCell.leader(List.of(), true, 1)
            .withState(TransactionState.FINAL, expiry + Timestamps.TICK));
    assertThatExceptionOfType(ExhaustedException.class)
        .isThrownBy(() -> server.run(server.blind(row, FastServer.increment(q, 1)), row))
        .matches(failure -> !failure.needsTicks());
    server.run(server.blind(row, FastServer.increment(q, 1)), row);
    assertThat(latest(row, server.clock.current())).isEqualTo(FastServer.number(1));
  }

  /** One that the family would keep longer; the newest do not outlive what they were given. */
  @Test
  void aValueExpiresAtItsOwnTimeWhereItsFamilySaysSoAndHidesWhatItHasOverwritten()
      throws IOException {
    MemoryRow row = new MemoryRow();
    row.put(F, COLUMNS.get(1), at(1) + 128, Bytes.utf8("old"));
    row.put(F, COLUMNS.get(1), at(2) + 128, Bytes.utf8("v"))
        .live(F, COLUMNS.get(1), at(2) + 128, 5);
    row.retention = new FamilyRetention(2, 1, 100, true);
    assertThat(read(row, at(3)).expiry()).isEqualTo(after(at(2), 5));
    assertThat(latest(row, at(8))).isNull();
    row.retention = new FamilyRetention(2, 0, 3, true);
    assertThat(read(row, at(3)).expiry())
        .as("no longer than its family's")
        .isEqualTo(after(at(2), 3));
    row.retention = new FamilyRetention(2, 0, 100, false);
    assertThat(latest(row, at(8))).as("where it does not count").isEqualTo(Bytes.utf8("v"));
  }

  @Test
  void aLifetimeIsRefusedWhereValuesHaveNoneAndStoredWhereTheyHave() throws IOException {
    FastServer server = new FastServer(ConflictLevel.ROW);
    MemoryRow row = new MemoryRow();
    FastOperation.Mutation put =
        new FastOperation.Mutation(FastOperation.Kind.PUT, F, COLUMNS.get(1), Bytes.utf8("v"), 5);
    assertThatExceptionOfType(Refused.class)
        .isThrownBy(() -> server.run(server.blind(row, put), row))
        .withMessageContaining("lampone.cell-ttl = true");
    row.retention = new FamilyRetention(1, 0, FamilyRetention.FOREVER, true);
    server.run(server.blind(row, put), row);
    long version = server.clock.current();
    assertThat(latest(row, version)).isEqualTo(Bytes.utf8("v"));
    assertThat(latest(row, version + TimeUnit.MILLISECONDS.toNanos(6))).isNull();
  }

  /** A session that has been shown that something has expired is shown so everywhere. */
  @Test
  void whoIsNotShownWhatHasExpiredKnowsOfTheExpiry() throws IOException {
    MemoryRow row = new MemoryRow();
    row.retention = new FamilyRetention(1, 0, 5);
    row.put(F, COLUMNS.get(1), at(2) + 128, Bytes.utf8("v"));
    LatestView view = new LatestView(at(9));
    FamilyView family = new FamilyView(view, row, F, 0);
    row.visit(
        new Selection(List.of(F), List.of(), 0, view.highestVersion()),
        cell -> family.data(cell) == Step.SHOW ? Next.VERSION : Next.COLUMN);
    assertThat(view.highestCommit()).isEqualTo(at(7));
  }

  private static Bytes latest(StoredRow row, long now) throws IOException {
    return read(row, now).value();
  }

  private static ColumnValue read(StoredRow row, long now) throws IOException {
    return ColumnValue.read(row, "t", Place.column(F, COLUMNS.get(1)), now);
  }
}
