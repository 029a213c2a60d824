package io.lampone.tm.command;

import io.lampone.protocol.tm.HotRow;
import io.lampone.tm.command.HotRowReport.Loser;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Merges the hot rows of clients. Memory is bounded by a limit of rows. Not thread-safe. */
public final class HotRowTable {

  /** Maximum number of rows that are merged; further ones are dropped. */
  static final int MAX_MERGED = 5_000;

  /** Maximum number of rows in the result. */
  static final int MAX_LISTED = 20;

  /** Maximum number of losers of a row in the result. */
  static final int MAX_LOSERS = 5;

  private record Key(String kind, String table, String row) {}

  private static final class Entry {
    private long conflicts;
    private long lastWinner;
    private final List<Loser> losers = new ArrayList<>();
  }

  private final Map<Key, Entry> entries = new HashMap<>();
  private int merged;

  /** Adds the rows of one client. */
  public void add(String principal, String remote, List<HotRow> rows) {
    for (HotRow row : rows) {
      if (merged == MAX_MERGED) {
        return;
      }
      merged++;
      Entry entry =
          entries.computeIfAbsent(
              new Key(row.kind(), row.table(), row.row()), added -> new Entry());
      entry.conflicts += row.conflicts();
      entry.lastWinner = Math.max(entry.lastWinner, row.winnerCommitTimestamp());
      entry.losers.add(new Loser(principal, remote, row.conflicts()));
    }
  }

  /** Returns the hottest rows, hottest first. */
  public List<HotRowReport> hottest() {
    return entries.entrySet().stream()
        .map(each -> report(each.getKey(), each.getValue()))
        .sorted(Comparator.comparingLong(HotRowReport::conflicts).reversed())
        .limit(MAX_LISTED)
        .toList();
  }

  private static HotRowReport report(Key key, Entry entry) {
    List<Loser> losers =
        entry.losers.stream()
            .sorted(Comparator.comparingLong(Loser::conflicts).reversed())
            .limit(MAX_LOSERS)
            .toList();
    return new HotRowReport(
        key.kind(), key.table(), key.row(), entry.conflicts, entry.lastWinner, losers);
  }
}
