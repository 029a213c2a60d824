package io.lampone.protocol.wire;

import io.lampone.protocol.tm.HotRow;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.Validator;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes requests directly into a frame of kind {@link FrameKind#REQUESTS}, without allocation, for
 * clients with a million requests per second. The layout is that of {@link WireRequest}.
 */
public final class Requests {

  /** Length of a begin in a frame. */
  public static final int BEGIN_BYTES = FrameLayout.BEGIN_BYTES;

  /** Length of a status request in a frame. */
  public static final int STATUS_BYTES = FrameLayout.STATUS_BYTES;

  private Requests() {}

  /** Appends a begin. */
  public static void begin(FrameWriter writer, long id, Priority priority) {
    writer.startMessage(BEGIN_BYTES, typed(RequestType.BEGIN, priority), id);
  }

  /**
   * Appends a validation, and its grant unless it is the previous one. A conditional validation
   * must not be sent to an end without {@link Capabilities#ASSIGNED}, a reported one not to an end
   * without {@link Capabilities#PROGRESS}.
   */
  public static void validate(
      FrameWriter writer, long id, Priority priority, Validator.Request request) {
    long[] check = request.check();
    long[] recorded = request.record();
    writer.grant(RequestType.GRANT, request.grant());
    writer.startMessage(
        WireRequest.Validate.sizeOf(request), typed(RequestType.VALIDATE, priority), id);
    writer.i64(request.startTimestamp());
    writer.u8(
        FrameLayout.FLAG_GRANT
            | (request.firstSending() ? FrameLayout.FLAG_FIRST_SENDING : 0)
            | (request.conditional() ? FrameLayout.FLAG_CONDITIONAL : 0)
            | (request.reported() ? FrameLayout.FLAG_REPORTED : 0)
            | (request.terms().mapVersion() != 0 ? FrameLayout.FLAG_SHARDED : 0));
    writer.i32(check.length).i32(recorded.length).i64s(check).i64s(recorded);
    if (request.terms().mapVersion() != 0) {
      writer.i64(request.terms().mapVersion());
    }
  }

  /** Appends a reservation or a release; only for an end with {@link Capabilities#RESERVATIONS}. */
  public static void reserve(
      FrameWriter writer, long id, Priority priority, Validator.Request request, boolean release) {
    long mapVersion = request.terms().mapVersion();
    writer.grant(RequestType.GRANT, request.grant());
    writer.startMessage(
        WireRequest.Validate.sizeOf(request), typed(RequestType.RESERVE, priority), id);
    writer.i64(request.startTimestamp());
    writer.u8(
        FrameLayout.FLAG_GRANT
            | (mapVersion != 0 ? FrameLayout.FLAG_SHARDED : 0)
            | (release ? FrameLayout.FLAG_RELEASE : 0));
    writer.i32(request.check().length).i32(request.record().length);
    writer.i64s(request.check()).i64s(request.record());
    if (mapVersion != 0) {
      writer.i64(mapVersion);
    }
  }

  /** Appends a vote; only for an end with {@link Capabilities#BUCKETS}. */
  public static void vote(FrameWriter writer, long id, Priority priority, Validator.Vote vote) {
    Validator.Assignment assigned = vote.assignment();
    writer.startMessage(WireRequest.Vote.sizeOf(vote), typed(RequestType.VOTE, priority), id);
    writer.i64(assigned.startTimestamp()).u8(0);
    writer.i32(vote.check().length).i32(vote.record().length);
    writer.i64s(vote.check()).i64s(vote.record()).i64(vote.incarnation());
    writer.i64(assigned.commitTimestamp()).tag(assigned.proof()).i64(vote.from());
    writer.i32(vote.reads());
  }

  /** Appends a request for a status. */
  public static void status(
      FrameWriter writer, long id, Priority priority, long startTimestamp, long snapshot) {
    writer.startMessage(STATUS_BYTES, typed(RequestType.STATUS, priority), id);
    writer.i64(startTimestamp).i64(snapshot);
  }

  /**
   * Appends a progress report; only for an end with {@link Capabilities#PROGRESS}, and with hot
   * rows, work and server only for one with {@link Capabilities#HOT_ROWS} or {@link
   * Capabilities#WORK}.
   */
  public static void progress(
      FrameWriter writer, long id, Priority priority, ProgressReport report) {
    byte[] text = report.text().getBytes(StandardCharsets.US_ASCII);
    writer.startMessage(
        WireRequest.Report.sizeOf(report), typed(RequestType.PROGRESS, priority), id);
    List<ProgressReport.Open> open = report.open().orElse(List.of());
    writer.u8(
        (report.open().isPresent() ? FrameLayout.FLAG_LISTS : 0)
            | (report.hotRows().isPresent() ? FrameLayout.FLAG_HOT_ROWS : 0)
            | (report.work().isEmpty() ? 0 : FrameLayout.FLAG_WORK)
            | (report.server().isPresent() ? FrameLayout.FLAG_SERVER : 0));
    writer.u16(report.starts()).u16(report.ended().length);
    writer.u16(open.size()).u16(text.length).i64s(report.ended());
    for (ProgressReport.Open each : open) {
      writer.i64(each.snapshot()).i32(each.ageMillis());
    }
    writer.bytes(text);
    report.hotRows().ifPresent(rows -> hotRows(writer, rows, report.hotText()));
    if (!report.work().isEmpty()) {
      writer.u16(report.work().size());
      report.work().forEach((index, count) -> writer.u16(index).i32(count));
    }
    report
        .server()
        .map(server -> server.text().getBytes(StandardCharsets.US_ASCII))
        .ifPresent(lines -> writer.u16(lines.length).bytes(lines));
  }

  private static void hotRows(FrameWriter writer, List<HotRow> rows, String lines) {
    byte[] text = lines.getBytes(StandardCharsets.US_ASCII);
    writer.u16(rows.size()).u16(text.length);
    for (HotRow each : rows) {
      writer.i32(each.conflicts()).i64(each.winnerCommitTimestamp());
    }
    writer.bytes(text);
  }

  /** Use {@link Priority#DEFAULT} towards an end without {@link Capabilities#PRIORITY}. */
  private static int typed(int type, Priority priority) {
    return type | priority.code() << FrameLayout.PRIORITY_SHIFT;
  }
}
