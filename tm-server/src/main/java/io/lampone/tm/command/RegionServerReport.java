package io.lampone.tm.command;

import com.fasterxml.jackson.core.JsonGenerator;
import io.lampone.protocol.tm.ServerReport;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Last report of a region server.
 *
 * @param ageNanos time since it arrived
 */
public record RegionServerReport(ServerReport report, long ageNanos) {

  void writeTo(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("server", report.server());
    json.writeNumberField("reportAgeMillis", TimeUnit.NANOSECONDS.toMillis(ageNanos));
    json.writeObjectFieldStart("values");
    for (Map.Entry<String, Long> each : report.values().entrySet()) {
      json.writeNumberField(each.getKey(), each.getValue());
    }
    json.writeEndObject();
    json.writeEndObject();
  }
}
