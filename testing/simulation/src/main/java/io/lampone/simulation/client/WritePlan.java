package io.lampone.simulation.client;

import io.lampone.checker.KeyRange;
import io.lampone.checker.Operation;
import io.lampone.protocol.Bytes;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Place;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes of a transaction so far, and its operations and scans for the judge. */
final class WritePlan {

  private Map<Place, Optional<Bytes>> writes = new HashMap<>();
  private List<Operation> operations = new ArrayList<>();
  private List<KeyRange> scans = new ArrayList<>();
  private final Deque<Saved> savepoints = new ArrayDeque<>();

  private record Saved(
      int slot,
      Map<Place, Optional<Bytes>> writes,
      List<Operation> operations,
      List<KeyRange> scans) {}

  void write(Place place, Optional<Bytes> value) {
    writes.put(place, value);
  }

  void operation(Operation operation) {
    operations.add(operation);
  }

  void scan(KeyRange range) {
    scans.add(range);
  }

  Map<Place, Optional<Bytes>> writes() {
    return writes;
  }

  List<Operation> operations() {
    return operations;
  }

  List<KeyRange> scans() {
    return scans;
  }

  /** Returns the value written there; empty if none was. */
  Optional<Optional<Bytes>> written(Place place) {
    return Optional.ofNullable(writes.get(place));
  }

  void savepoint(int slot) {
    savepoints.push(
        new Saved(
            slot, new HashMap<>(writes), new ArrayList<>(operations), new ArrayList<>(scans)));
  }

  /** Rolls back to one of the savepoints, if there is one; it stays, later ones are removed. */
  Optional<Integer> rollBack(Chance chance) {
    while (savepoints.size() > 1 && chance.oneIn(2)) {
      savepoints.pop();
    }
    Saved saved = savepoints.peek();
    if (saved == null) {
      return Optional.empty();
    }
    writes = new HashMap<>(saved.writes());
    operations = new ArrayList<>(saved.operations());
    scans = new ArrayList<>(saved.scans());
    return Optional.of(saved.slot());
  }
}
