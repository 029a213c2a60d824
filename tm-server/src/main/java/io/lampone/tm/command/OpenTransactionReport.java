package io.lampone.tm.command;

import com.fasterxml.jackson.core.JsonGenerator;
import io.lampone.protocol.tm.ProgressReport;
import java.io.IOException;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;

/**
 * An open transaction that a client has reported.
 *
 * @param principal the client's principal
 * @param remote the client's address
 * @param snapshot the start timestamp, or the snapshot in the past that is read
 * @param ageMillis time since its begin
 * @param tables names of the tables that it has used, separated by commas
 * @param reportedMillisAgo age of the report
 */
public record OpenTransactionReport(
    String principal,
    String remote,
    long snapshot,
    long ageMillis,
    String tables,
    long reportedMillisAgo) {

  /** Order by age, oldest first. */
  public static final Comparator<OpenTransactionReport> OLDEST_FIRST =
      Comparator.comparingLong(OpenTransactionReport::ageMillis).reversed();

  /** Returns the transaction with its present age. */
  public static OpenTransactionReport of(
      ProgressReport.Open open, String principal, String remote, long reportedNanosAgo) {
    long reportedMillisAgo = Math.max(0, TimeUnit.NANOSECONDS.toMillis(reportedNanosAgo));
    return new OpenTransactionReport(
        principal,
        remote,
        open.snapshot(),
        Integer.toUnsignedLong(open.ageMillis()) + reportedMillisAgo,
        open.tables(),
        reportedMillisAgo);
  }

  void writeTo(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("principal", principal);
    json.writeStringField("remote", remote);
    json.writeNumberField("startTimestamp", snapshot);
    json.writeNumberField("ageMillis", ageMillis);
    json.writeStringField("tables", tables);
    json.writeNumberField("reportedMillisAgo", reportedMillisAgo);
    json.writeEndObject();
  }
}
