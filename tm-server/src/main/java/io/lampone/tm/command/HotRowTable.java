package io.lampone.tm.command;

import com.fasterxml.jackson.core.JsonGenerator;
import io.lampone.protocol.tm.HotRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Merges the hot rows of clients. Memory is bounded by a limit of rows. Not thread-safe. */
public final class HotRowTable {

  /** Maximum number of rows that are merged; further ones are dropped. */
  static final int MAX_MERGED = 5_000;

  /** Maximum number of rows written. */
  static final int MAX_LISTED = 20;

  /** Maximum number of clients written that lost on a row. */
  static final int MAX_LOSERS = 5;

  private record Key(String kind, String table, String row) {}

  private record Loser(String principal, String remote, long conflicts) {}

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
      if (merged++ >= MAX_MERGED) {
        return;
      }
      Entry entry =
          entries.computeIfAbsent(
              new Key(row.kind(), row.table(), row.row()), added -> new Entry());
      entry.conflicts += row.conflicts();
      entry.lastWinner = Math.max(entry.lastWinner, row.winnerCommitTimestamp());
      entry.losers.add(new Loser(principal, remote, row.conflicts()));
    }
  }

  /** Writes the hottest rows with those that lost most often, hottest first. */
  void writeTo(JsonGenerator json) throws IOException {
    Comparator<Map.Entry<Key, Entry>> byConflicts =
        Comparator.comparingLong(each -> each.getValue().conflicts);
    json.writeArrayFieldStart("hotRows");
    for (Map.Entry<Key, Entry> each :
        entries.entrySet().stream().sorted(byConflicts.reversed()).limit(MAX_LISTED).toList()) {
      json.writeStartObject();
      json.writeStringField("kind", each.getKey().kind());
      json.writeStringField("table", each.getKey().table());
      json.writeStringField("row", each.getKey().row());
      json.writeNumberField("conflicts", each.getValue().conflicts);
      json.writeNumberField("lastWinner", each.getValue().lastWinner);
      json.writeArrayFieldStart("losers");
      for (Loser loser :
          each.getValue().losers.stream()
              .sorted(Comparator.comparingLong(Loser::conflicts).reversed())
              .limit(MAX_LOSERS)
              .toList()) {
        json.writeStartObject();
        json.writeStringField("principal", loser.principal());
        json.writeStringField("remote", loser.remote());
        json.writeNumberField("conflicts", loser.conflicts());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
