package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.ClientWork;
import io.lampone.protocol.tm.HotRow;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.ServerReport;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Tag;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A request to the transaction manager, with the id that its reply will carry. */
public sealed interface WireRequest {

  /** Returns the id of the request; increases on a connection and is never used again. */
  long id();

  /** Returns the length of the request in a frame. */
  int size();

  /** Appends this to a frame of kind {@link FrameKind#REQUESTS}. */
  void writeTo(FrameWriter writer);

  /** Requests a start timestamp. */
  record Begin(long id) implements WireRequest {

    @Override
    public int size() {
      return FrameLayout.BEGIN_BYTES;
    }

    @Override
    public void writeTo(FrameWriter writer) {
      writer.startMessage(size(), RequestType.BEGIN, id);
    }
  }

  /** Requests the validation of a transaction. */
  record Validate(long id, Validator.Request request) implements WireRequest {

    @Override
    public int size() {
      return sizeOf(request);
    }

    @Override
    public void writeTo(FrameWriter writer) {
      Requests.validate(writer, id, Priority.DEFAULT, request);
    }

    /**
     * Returns the length of a request with its grant in a frame, or the largest {@code int} if no
     * frame can hold it.
     */
    public static int sizeOf(Validator.Request request) {
      long hashes = (long) request.check().length + request.record().length;
      return (int)
          Math.min(
              Integer.MAX_VALUE,
              FrameLayout.GRANT_BYTES
                  + FrameLayout.VALIDATE_FIXED_BYTES
                  + hashes * Long.BYTES
                  + (request.terms().mapVersion() == 0 ? 0 : Long.BYTES));
    }
  }

  /** Reserves hashes for a transaction, or releases them. */
  record Reserve(long id, Validator.Request request, boolean release) implements WireRequest {

    @Override
    public int size() {
      return Validate.sizeOf(request);
    }

    @Override
    public void writeTo(FrameWriter writer) {
      Requests.reserve(writer, id, Priority.DEFAULT, request, release);
    }
  }

  /** Requests the vote of a validator. */
  record Vote(long id, Validator.Vote vote) implements WireRequest {

    @Override
    public int size() {
      return sizeOf(vote);
    }

    @Override
    public void writeTo(FrameWriter writer) {
      Requests.vote(writer, id, Priority.DEFAULT, vote);
    }

    /** Returns the length of a vote in a frame, or the largest {@code int} if none can hold it. */
    public static int sizeOf(Validator.Vote vote) {
      long hashes = (long) vote.check().length + vote.record().length;
      return (int)
          Math.min(
              Integer.MAX_VALUE,
              FrameLayout.VALIDATE_FIXED_BYTES + hashes * Long.BYTES + FrameLayout.VOTE_TAIL_BYTES);
    }
  }

  /** Requests the status of a transaction. */
  record Status(long id, long startTimestamp, long snapshot) implements WireRequest {

    @Override
    public int size() {
      return FrameLayout.STATUS_BYTES;
    }

    @Override
    public void writeTo(FrameWriter writer) {
      writer.startMessage(size(), RequestType.STATUS, id);
      writer.i64(startTimestamp).i64(snapshot);
    }
  }

  /** Reports progress, and requests start timestamps ahead of need. */
  record Report(long id, ProgressReport report) implements WireRequest {

    @Override
    public int size() {
      return sizeOf(report);
    }

    @Override
    public void writeTo(FrameWriter writer) {
      Requests.progress(writer, id, Priority.DEFAULT, report);
    }

    /** Returns the length of a report in a frame. */
    public static int sizeOf(ProgressReport report) {
      return FrameLayout.ENDED_OFFSET
          + report.ended().length * Long.BYTES
          + report.open().map(List::size).orElse(0) * FrameLayout.OPEN_BYTES
          + report.text().length()
          + report
              .hotRows()
              .map(
                  rows ->
                      FrameLayout.HOT_HEAD_BYTES
                          + rows.size() * FrameLayout.HOT_BYTES
                          + report.hotText().length())
              .orElse(0)
          + (report.work().isEmpty()
              ? 0
              : Short.BYTES + report.work().size() * FrameLayout.WORK_BYTES)
          + report.server().map(server -> Short.BYTES + server.text().length()).orElse(0);
    }
  }

  /** Returns the length of a batch before its first message. */
  static int batchHeadBytes() {
    return FrameLayout.MESSAGES_OFFSET;
  }

  /**
   * Reads a batch of requests; priorities are checked and discarded.
   *
   * @throws MalformedException if it is not one, holds no request or more than {@code maxMessages},
   *     or an id does not exceed the previous one
   */
  static List<WireRequest> readBatch(FrameReader reader, int maxMessages) {
    reader.expect(FrameKind.REQUESTS);
    int count = reader.count(FrameLayout.MESSAGE_HEAD_BYTES);
    if (count == 0 || count > maxMessages) {
      throw new MalformedException("wrong size of a batch, count=" + count);
    }
    List<WireRequest> requests = new ArrayList<>(count);
    long last = Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      WireRequest request = read(reader);
      if (i > 0 && request.id() <= last) {
        throw new MalformedException("ids do not increase, id=" + request.id() + " last=" + last);
      }
      last = request.id();
      requests.add(request);
    }
    reader.end();
    return requests;
  }

  private static WireRequest read(FrameReader reader) {
    boolean granted = reader.isNext(RequestType.GRANT);
    int typeAndPriority = reader.type(RequestType.GRANT);
    Priority.ofCode(typeAndPriority >>> FrameLayout.PRIORITY_SHIFT);
    int type = typeAndPriority & FrameLayout.TYPE_MASK;
    if (granted && type != RequestType.VALIDATE && type != RequestType.RESERVE) {
      throw new MalformedException("grant without a validation");
    }
    long id = reader.i64();
    return switch (type) {
      case RequestType.BEGIN -> new Begin(id);
      case RequestType.VALIDATE -> readValidate(reader, id);
      case RequestType.STATUS -> new Status(id, reader.i64(), reader.i64());
      case RequestType.VOTE -> new Vote(id, readVote(reader));
      case RequestType.RESERVE -> readReserve(reader, id);
      case RequestType.PROGRESS -> new Report(id, readProgress(reader));
      default -> throw new MalformedException("unknown type of request, type=" + type);
    };
  }

  private static ProgressReport readProgress(FrameReader reader) {
    int flags = reader.u8();
    int starts = reader.u16();
    int endedCount = reader.u16();
    int openCount = reader.u16();
    int textLength = reader.u16();
    long[] ended = reader.i64s(endedCount);
    long[] snapshots = new long[openCount];
    int[] ages = new int[openCount];
    for (int i = 0; i < openCount; i++) {
      snapshots[i] = reader.i64();
      ages[i] = reader.i32();
    }
    String[] lines = lines(reader, textLength, openCount);
    boolean lists = (flags & FrameLayout.FLAG_LISTS) != 0;
    boolean hot = (flags & FrameLayout.FLAG_HOT_ROWS) != 0;
    if ((flags & ~FrameLayout.REPORT_FLAGS) != 0
        || !lists && openCount > 0
        || textLength > ProgressReport.MAX_TEXT_BYTES) {
      throw new MalformedException("wrong progress report, flags=" + flags + " open=" + openCount);
    }
    List<ProgressReport.Open> open = new ArrayList<>();
    for (int i = 0; i < openCount; i++) {
      open.add(new ProgressReport.Open(snapshots[i], ages[i], lines[i]));
    }
    try {
      return new ProgressReport(
          starts,
          ended,
          lists ? Optional.of(open) : Optional.empty(),
          hot ? Optional.of(readHotRows(reader)) : Optional.empty(),
          (flags & FrameLayout.FLAG_WORK) != 0 ? readWork(reader) : new TreeMap<>(),
          (flags & FrameLayout.FLAG_SERVER) != 0
              ? Optional.of(
                  ServerReport.of(
                      new String(reader.bytes(reader.u16()), StandardCharsets.US_ASCII)))
              : Optional.empty());
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()));
    }
  }

  private static SortedMap<Integer, Integer> readWork(FrameReader reader) {
    SortedMap<Integer, Integer> work = new TreeMap<>();
    int counts = reader.u16();
    if (counts > ClientWork.MAX_COUNTS) {
      throw new MalformedException("too many counts of work, counts=" + counts);
    }
    for (int left = counts; left > 0; left--) {
      int index = reader.u16();
      int count = reader.i32();
      if (count < 0 || !work.isEmpty() && index <= work.lastKey()) {
        throw new MalformedException("negative or repeated count of work, index=" + index);
      }
      work.put(index, count);
    }
    return work;
  }

  private static List<HotRow> readHotRows(FrameReader reader) {
    int count = reader.u16();
    int textLength = reader.u16();
    if (textLength > HotRow.MAX_TEXT_BYTES) {
      throw new MalformedException("too much text of hot rows, text=" + textLength);
    }
    int[] conflicts = new int[count];
    long[] winners = new long[count];
    for (int i = 0; i < count; i++) {
      conflicts[i] = reader.i32();
      winners[i] = reader.i64();
    }
    String[] lines = lines(reader, textLength, count);
    List<HotRow> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(HotRow.of(lines[i], conflicts[i], winners[i]));
    }
    return rows;
  }

  private static String[] lines(FrameReader reader, int length, int count) {
    String text = new String(reader.bytes(length), StandardCharsets.US_ASCII);
    String[] lines = count == 0 && text.isEmpty() ? new String[0] : text.split("\n", -1);
    if (lines.length != count
        || !text.chars().allMatch(each -> each == '\n' || ProgressReport.isPrintable(each))) {
      throw new MalformedException("wrong lines of a progress report, count=" + count);
    }
    return lines;
  }

  private static WireRequest readValidate(FrameReader reader, long id) {
    long startTimestamp = reader.i64();
    int flags = reader.u8();
    if ((flags & ~FrameLayout.VALIDATE_FLAGS) != 0) {
      throw new MalformedException("unknown flags of a request, flags=" + flags);
    }
    int checks = reader.count(Long.BYTES);
    int records = reader.count(Long.BYTES);
    long[] check = reader.i64s(checks);
    long[] record = reader.i64s(records);
    boolean first = (flags & FrameLayout.FLAG_FIRST_SENDING) != 0;
    Grant grant =
        (flags & FrameLayout.FLAG_GRANT) != 0 ? reader.grant() : new Grant(0, 0, Tag.NONE);
    boolean conditional = (flags & FrameLayout.FLAG_CONDITIONAL) != 0;
    boolean reported = (flags & FrameLayout.FLAG_REPORTED) != 0;
    boolean sharded = (flags & FrameLayout.FLAG_SHARDED) != 0;
    long mapVersion = sharded ? reader.i64() : 0;
    if (sharded && !conditional) {
      throw new MalformedException("map of buckets without condition");
    }
    return new Validate(
        id,
        new Validator.Request(
            startTimestamp,
            grant,
            first,
            check,
            record,
            new Validator.Terms(conditional, reported, mapVersion)));
  }

  private static WireRequest readReserve(FrameReader reader, long id) {
    long startTimestamp = reader.i64();
    int flags = reader.u8();
    int checks = reader.count(Long.BYTES);
    int records = reader.count(Long.BYTES);
    if ((flags & ~FrameLayout.RESERVE_FLAGS) != 0
        || (flags & FrameLayout.FLAG_GRANT) == 0
        || checks + records > FrameLayout.MAX_RESERVED) {
      throw new MalformedException("wrong reservation, flags=" + flags);
    }
    long[] check = reader.i64s(checks);
    long[] record = reader.i64s(records);
    long mapVersion = (flags & FrameLayout.FLAG_SHARDED) != 0 ? reader.i64() : 0;
    return new Reserve(
        id,
        new Validator.Request(
            startTimestamp,
            reader.grant(),
            false,
            check,
            record,
            new Validator.Terms(false, false, mapVersion)),
        (flags & FrameLayout.FLAG_RELEASE) != 0);
  }

  private static Validator.Vote readVote(FrameReader reader) {
    long startTimestamp = reader.i64();
    int flags = reader.u8();
    int checks = reader.count(Long.BYTES);
    int records = reader.count(Long.BYTES);
    long[] check = reader.i64s(checks);
    long[] record = reader.i64s(records);
    long incarnation = reader.i64();
    Validator.Assignment assigned =
        new Validator.Assignment(startTimestamp, reader.i64(), reader.tag());
    long from = reader.i64();
    int reads = reader.i32();
    if (flags != 0 || reads < 0 || reads > checks) {
      throw new MalformedException("wrong vote, flags=" + flags + " readCount=" + reads);
    }
    return new Validator.Vote(assigned, incarnation, from, reads, check, record);
  }
}
