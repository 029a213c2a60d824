package io.lampone.coprocessor;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One transaction of the random test: what it wrote, as the model knows it, and its client side.
 */
final class RandomTransaction {

  static final int ROWS = 7;
  static final List<Bytes> FAMILIES = List.of(Bytes.utf8("a"), Bytes.utf8("b"));
  static final List<Bytes> QUALIFIERS =
      List.of(
          Bytes.EMPTY,
          Bytes.of((byte) 0),
          Bytes.of((byte) 0, (byte) 'l', (byte) 'o'),
          Bytes.of((byte) 0, (byte) 'l', (byte) 'q'),
          Bytes.utf8("a"),
          Bytes.utf8("ab"),
          Bytes.utf8("b"),
          Bytes.of((byte) 0xff, (byte) 0));

  /** One write in the application's order. */
  record Write(Bytes row, Bytes family, IntentCell cell) {}

  /** Key of the client's buffer: one cell for each slot and column. */
  private record Place(Bytes family, int slot, boolean wide, Bytes qualifier) {}

  final long start;
  final List<Write> writes = new ArrayList<>();
  SlotSet rolledBack = SlotSet.NONE;
  long commit;
  boolean dead;
  private RowFamily leader;
  private final TestTable table;
  private final Map<Bytes, Map<Place, IntentCell>> buffer = new TreeMap<>();
  private final Set<RowFamily> touched = new TreeSet<>();
  private int slot;
  private int sinceSlot;
  private long flushes;

  RandomTransaction(TestTable table, long start) {
    this.table = table;
    this.start = start;
  }

  static Bytes row(int number) {
    return Bytes.of((byte) 'r', (byte) number);
  }

  Set<Bytes> rows() {
    Set<Bytes> rows = new TreeSet<>();
    touched.forEach(place -> rows.add(place.row()));
    return rows;
  }

  void write(Random random) {
    Bytes row = row(random.nextInt(ROWS));
    Bytes family = FAMILIES.get(random.nextInt(FAMILIES.size()));
    Bytes qualifier = QUALIFIERS.get(random.nextInt(QUALIFIERS.size()));
    int kind = random.nextInt(10);
    IntentCell cell =
        switch (kind) {
          case 0 -> new IntentCell(slot, IntentKind.DELETE_FAMILY, Bytes.EMPTY, Bytes.EMPTY);
          case 1, 2 -> new IntentCell(slot, IntentKind.DELETE_COLUMN, qualifier, Bytes.EMPTY);
          case 3 -> new IntentCell(slot, IntentKind.PUT, qualifier, Bytes.EMPTY);
          default ->
              new IntentCell(
                  slot, IntentKind.PUT, qualifier, Bytes.of((byte) random.nextInt(4), (byte) 7));
        };
    if (leader == null) {
      leader = table.place(row, family);
    }
    writes.add(new Write(row, family, cell));
    Map<Place, IntentCell> cells = buffer.computeIfAbsent(row, r -> new LinkedHashMap<>());
    boolean wide = cell.kind() == IntentKind.DELETE_FAMILY;
    if (wide) {
      cells.keySet().removeIf(p -> p.family().equals(family) && p.slot() == cell.slot());
    }
    Place place = new Place(family, slot, wide, cell.qualifier());
    cells.remove(place);
    cells.put(place, cell);
    touched.add(table.place(row, family));
  }

  void savepoint() {
    sinceSlot = slot + 1;
    slot++;
  }

  void rollBack() {
    if (sinceSlot == 0) {
      return;
    }
    for (int s = sinceSlot; s <= slot; s++) {
      rolledBack = rolledBack.with(s);
    }
    slot++;
    sinceSlot = slot;
  }

  /** Sends the buffer; false if the transaction has lost. */
  boolean flush(boolean everywhere) throws IOException {
    flushes++;
    List<RowIntents> rows = new ArrayList<>();
    for (Bytes row : everywhere ? rows() : buffer.keySet()) {
      Map<Bytes, List<IntentCell>> families = new TreeMap<>();
      buffer
          .getOrDefault(row, Map.of())
          .forEach(
              (place, cell) ->
                  families.computeIfAbsent(place.family(), f -> new ArrayList<>()).add(cell));
      if (everywhere) {
        touched.stream()
            .filter(place -> place.row().equals(row))
            .forEach(place -> families.putIfAbsent(place.family(), List.of()));
      }
      List<FamilyIntents> intents = new ArrayList<>();
      families.forEach(
          (family, cells) ->
              intents.add(new FamilyIntents(family, rolledBack, Optional.empty(), cells)));
      rows.add(new RowIntents(row, intents));
    }
    buffer.clear();
    if (rows.isEmpty()) {
      return true;
    }
    Flush flush =
        new Flush(
            start,
            Ticks.BASE,
            ConflictLevel.ROW,
            leader,
            flushes,
            rows,
            Proofs.OPEN.grant(start, 0));
    try {
      table.send(flush);
      if (flushes % 3 == 0) {
        table.send(flush); // a duplicate is acknowledged and not applied (R1)
      }
      return true;
    } catch (IOException e) {
      Refusal refusal = TestTable.refusalIn(e);
      if (refusal == null || refusal.code() != Refusal.Code.CONFLICT) {
        throw e;
      }
      dead = true;
      return false;
    }
  }

  boolean hasWrites() {
    return leader != null;
  }

  void commitLeader() throws IOException {
    table.send(TestTable.commit(start, Ticks.BASE, leader.row(), leader.family(), commit));
  }

  void abortLeader() throws IOException {
    dead = true;
    if (leader != null) {
      table.send(
          new AbortLeader(
              start, Ticks.BASE, leader.row(), leader.family(), true, Proofs.OPEN.grant(start, 0)));
    }
  }

  RowFamily leader() {
    return leader;
  }

  void heal() throws IOException {
    if (leader != null) {
      table.send(Fates.heal(start, Ticks.BASE, List.copyOf(rows()), commit, leader));
    }
  }
}
