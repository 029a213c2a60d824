package io.lampone.client.hbase;

import io.lampone.client.core.TransactionStore.Settling;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.Settle;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Post-commit tasks on one row, of one transaction or of several.
 *
 * @param tasks at least one
 */
record PostCommitRow(Bytes row, List<Task> tasks) {

  /**
   * Task of one transaction on the row.
   *
   * @param finished the leader's family, if the leader becomes FINAL; empty for a heal
   * @param grant grant of the transaction
   */
  record Task(TransactionId id, Fate fate, Optional<Bytes> finished, Grant grant) {}

  /**
   * Rows of one table.
   *
   * @param floor highest floor of the transactions: a batch carries it, and a server with a lower
   *     one requests it
   * @param family family of one of the places
   * @param rows ascending, each once
   */
  record OfTable(long floor, Bytes family, List<PostCommitRow> rows) {}

  /** Returns the tasks by table. */
  static Map<String, OfTable> byTable(List<Settling> committed, List<Settling> healed) {
    long floor = 0;
    Map<String, TreeMap<Bytes, List<Task>>> tables = new TreeMap<>();
    Map<String, Bytes> families = new HashMap<>();
    for (Settling one : committed) {
      floor = Math.max(floor, one.floor());
      Task heal = new Task(one.id(), one.fate(), Optional.empty(), one.grant());
      for (RowFamily place : one.followers()) {
        List<Task> tasks = tasksOf(tables, place);
        families.putIfAbsent(place.table(), place.family());
        // One heal covers all families of a row.
        if (!tasks.contains(heal)) {
          tasks.add(heal);
        }
      }
    }
    for (Settling one : healed) {
      floor = Math.max(floor, one.floor());
      RowFamily leader = one.id().leader();
      families.putIfAbsent(leader.table(), leader.family());
      tasksOf(tables, leader)
          .add(new Task(one.id(), one.fate(), Optional.of(leader.family()), one.grant()));
    }
    Map<String, OfTable> result = new TreeMap<>();
    for (Map.Entry<String, TreeMap<Bytes, List<Task>>> table : tables.entrySet()) {
      List<PostCommitRow> rows = new ArrayList<>(table.getValue().size());
      table.getValue().forEach((row, tasks) -> rows.add(new PostCommitRow(row, tasks)));
      result.put(
          table.getKey(),
          new OfTable(floor, families.getOrDefault(table.getKey(), Bytes.EMPTY), rows));
    }
    return result;
  }

  private static List<Task> tasksOf(
      Map<String, TreeMap<Bytes, List<Task>>> tables, RowFamily place) {
    return tables
        .computeIfAbsent(place.table(), table -> new TreeMap<>())
        .computeIfAbsent(place.row(), row -> new ArrayList<>());
  }

  /** Returns the request for rows of one region; a single transaction has its own kind. */
  static RegionRequest request(long floor, List<PostCommitRow> rows) {
    Map<Task, List<Bytes>> healed = new LinkedHashMap<>();
    List<RegionRequest> parts = new ArrayList<>();
    for (PostCommitRow row : rows) {
      for (Task task : row.tasks()) {
        if (task.finished().isPresent()) {
          parts.add(
              new FinishLeader(
                  task.id().startTimestamp(),
                  floor,
                  row.row(),
                  task.finished().get(),
                  task.fate().commitTimestamp(),
                  task.grant()));
        } else {
          healed.computeIfAbsent(task, t -> new ArrayList<>()).add(row.row());
        }
      }
    }
    healed.forEach(
        (task, some) ->
            parts.add(
                new Heal(
                    task.id().startTimestamp(), floor, some, task.id().leader(), task.fate())));
    return parts.size() == 1 ? parts.get(0) : new Settle(floor, parts);
  }
}
