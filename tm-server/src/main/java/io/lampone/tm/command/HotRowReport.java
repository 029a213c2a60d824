package io.lampone.tm.command;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;

/**
 * A row on which transactions have met conflicts lately.
 *
 * @param kind kind of the conflicts
 * @param table name of the table
 * @param row the row as printable text; empty if clients do not disclose it
 * @param conflicts number of conflicts at least
 * @param lastWinner commit timestamp of the last transaction that won
 * @param losers clients whose transactions lost most often, most first
 */
public record HotRowReport(
    String kind, String table, String row, long conflicts, long lastWinner, List<Loser> losers) {

  /**
   * A client whose transactions lost.
   *
   * @param principal its principal
   * @param remote its address
   */
  public record Loser(String principal, String remote, long conflicts) {}

  void writeTo(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("kind", kind);
    json.writeStringField("table", table);
    json.writeStringField("row", row);
    json.writeNumberField("conflicts", conflicts);
    json.writeNumberField("lastWinner", lastWinner);
    json.writeArrayFieldStart("losers");
    for (Loser loser : losers) {
      json.writeStartObject();
      json.writeStringField("principal", loser.principal());
      json.writeStringField("remote", loser.remote());
      json.writeNumberField("conflicts", loser.conflicts());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
