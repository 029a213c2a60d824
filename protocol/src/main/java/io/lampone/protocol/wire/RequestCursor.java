package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Iterates over the requests of successive frames in place, without allocation.
 *
 * <p>{@link #open} checks the whole frame before the first request is accessible: its checksum, the
 * shape of every request, and that ids increase. So no request of a frame with a malformed end is
 * executed, and the accessors need no checks. The offsets are those of {@link FrameLayout}.
 *
 * <p>Not thread-safe: one cursor per event loop. It refers to the caller's buffer, which must not
 * change before the last request has been executed.
 */
public final class RequestCursor {

  private final CRC32C crc = new CRC32C();

  /** Maximum number of requests in a frame. */
  private final int maxMessages;

  /** Buffer with the frame; only absolute positions are used after {@link #open}. */
  private ByteBuffer buffer = ByteBuffer.allocate(0);

  private final RequestShape shape = new RequestShape();
  private final GrantCursor presented = new GrantCursor();
  private final ReportCursor report = new ReportCursor();
  private final TailCursor tail = new TailCursor();

  /** Capabilities that both ends of the frame's connection have. */
  private long capabilities;

  private Object sender = this;

  /** Start of the first request, and end of the last one. */
  private int begin;

  private int end;

  /** Start and end of the current piece: the whole frame until it is cut. */
  private int pieceBegin;

  private int pieceEnd;

  /** Start of the last grant before the piece; -1 = none. */
  private int pieceGrant;

  private int count;
  private long firstId;
  private long lastId;
  private long highestTimestamp;

  /** Validations in the frame, and the number of hashes that they record. */
  private int validations;

  private long recordedHashes;

  /** A bit for each priority that occurs in the frame. */
  private int prioritiesSeen;

  /** Start of the current request, and of the next one. */
  private int at;

  private int next;

  /** Start of the last grant in the frame, up to the current request; -1 = none. */
  private int grant;

  /**
   * Creates a cursor without a frame.
   *
   * @param maxMessages maximum number of requests in a frame
   */
  public RequestCursor(int maxMessages) {
    this.maxMessages = maxMessages;
  }

  /**
   * Checks the frame between position and limit of {@code frame} and moves before its first
   * request.
   *
   * @param frame in big-endian order; its position and limit are undefined afterwards
   * @param agreed the {@link Capabilities} that both ends have
   * @throws MalformedException if this is not a complete and undamaged frame of requests
   */
  public void open(ByteBuffer frame, long agreed) {
    open(frame, agreed, this);
  }

  /**
   * Like the other method.
   *
   * @param from identity of the sender, see {@link #sender}
   */
  public void open(ByteBuffer frame, long agreed, Object from) {
    buffer = frame;
    capabilities = agreed;
    sender = from;
    int start = frame.position();
    end = frame.limit();
    shape.open(frame, end);
    begin = start + FrameLayout.MESSAGES_OFFSET;
    if (end < begin) {
      throw new MalformedException("frame too short, bytes=" + (end - start));
    }
    shape.checkHead(start, crc);
    checkRequests(start);
    pieceBegin = begin;
    pieceEnd = end;
    pieceGrant = -1;
    rewind();
  }

  /**
   * Restricts the cursor to the first piece of the frame: as many requests as fit into {@code
   * maxBytes}, but at least one. Returns its length.
   */
  public int cut(int maxBytes) {
    pieceEnd = end;
    if (end - pieceBegin > maxBytes) {
      pieceEnd = pieceBegin;
      int bytes = shape.bytesAt(pieceEnd);
      do {
        pieceEnd += bytes;
        bytes = pieceEnd < end ? shape.bytesAt(pieceEnd) : Integer.MAX_VALUE;
      } while (bytes <= maxBytes - (pieceEnd - pieceBegin));
    }
    rewind();
    return pieceEnd - pieceBegin;
  }

  /** Moves to the next piece and returns its length; 0 if there is none. See {@link #cut}. */
  public int nextPiece(int maxBytes) {
    if (pieceEnd == end) {
      return 0;
    }
    while (next()) {
      // Skips to the last grant of this piece.
    }
    pieceGrant = grant;
    pieceBegin = pieceEnd;
    return cut(maxBytes);
  }

  /** Returns the number of requests in the frame; at least 1. */
  public int count() {
    return count;
  }

  /** Returns the id of the first request. */
  public long firstId() {
    return firstId;
  }

  /** Returns the id of the last request, the highest one. */
  public long lastId() {
    return lastId;
  }

  /** Returns the highest timestamp that any request of the frame contains, or 0. */
  public long highestTimestamp() {
    return highestTimestamp;
  }

  /** Returns the number of validations in the frame. */
  public int validations() {
    return validations;
  }

  /** Returns the maximum number of hashes that the frame's validations will record. */
  public long recordedHashes() {
    return recordedHashes;
  }

  /** Returns the most urgent priority among the requests of the frame. */
  public Priority mostUrgent() {
    if ((prioritiesSeen & 1 << Priority.SYSTEM.code()) != 0) {
      return Priority.SYSTEM;
    }
    return (prioritiesSeen & 1 << Priority.DEFAULT.code()) != 0 ? Priority.DEFAULT : Priority.BATCH;
  }

  /** Moves before the first request of the piece. */
  public void rewind() {
    next = pieceBegin;
    grant = pieceGrant;
  }

  /** Moves to the next request of the piece if there is one. */
  public boolean next() {
    if (next == pieceEnd) {
      return false;
    }
    at = next;
    if (shape.grantBytesAt(at) > 0) {
      grant = at;
      at += FrameLayout.GRANT_BYTES;
    }
    next = at + shape.checkedBytesAt(at);
    return true;
  }

  /** Returns the {@link RequestType}. */
  public int type() {
    return shape.typeAt(at);
  }

  /** Returns the priority of the request. */
  public Priority priority() {
    return Priority.ofCode(shape.priorityAt(at));
  }

  /** Returns the id of the request. */
  public long id() {
    return buffer.getLong(at + FrameLayout.ID_OFFSET);
  }

  /** Returns the start timestamp of any request but begin and progress. */
  public long startTimestamp() {
    return buffer.getLong(at + FrameLayout.START_TIMESTAMP_OFFSET);
  }

  /** Returns the snapshot of a status request; 0 = none. */
  public long snapshot() {
    return buffer.getLong(at + FrameLayout.SNAPSHOT_OFFSET);
  }

  /**
   * Returns true if a validate request has a flag: {@link FrameLayout#FLAG_FIRST_SENDING}, {@link
   * FrameLayout#FLAG_CONDITIONAL}, {@link FrameLayout#FLAG_GRANT} or {@link
   * FrameLayout#FLAG_REPORTED}; or a reserve request {@link FrameLayout#FLAG_RELEASE}.
   */
  public boolean has(int flag) {
    return (shape.flagsAt(at) & flag) != 0;
  }

  /** Returns true if the sender has these {@link Capabilities}. */
  public boolean can(long wanted) {
    return Capabilities.has(capabilities, wanted);
  }

  /** Returns an object that stands for the sender of the frame. */
  public Object sender() {
    return sender;
  }

  /** Returns the grant that a validate or reserve request refers to. */
  public GrantCursor grant() {
    presented.moveTo(buffer, grant);
    return presented;
  }

  /** Returns the current request, a progress report; or the reports of the frame. */
  public ReportCursor report() {
    report.moveTo(at);
    return report;
  }

  /** Returns the number of hashes to check in a validate request. */
  public int checks() {
    return buffer.getInt(at + FrameLayout.CHECK_COUNT_OFFSET);
  }

  /** Returns a hash to check; {@code index} is below {@link #checks}. */
  public long check(int index) {
    return buffer.getLong(at + FrameLayout.HASHES_OFFSET + index * Long.BYTES);
  }

  /** Returns the number of hashes to record in a validate request. */
  public int records() {
    return buffer.getInt(at + FrameLayout.RECORD_COUNT_OFFSET);
  }

  /** Returns a hash to record; {@code index} is below {@link #records}. */
  public long record(int index) {
    return check(checks() + index);
  }

  /** Returns what follows the hashes of a validate or reserve request, or vote. */
  public TailCursor tail() {
    tail.moveTo(buffer, shape.hashesEndAt(at));
    return tail;
  }

  private void checkRequests(int start) {
    count = buffer.getInt(start + FrameLayout.COUNT_OFFSET);
    if (count < 1 || count > maxMessages) {
      throw new MalformedException("wrong size of a batch, count=" + count);
    }
    highestTimestamp = 0;
    validations = 0;
    recordedHashes = 0;
    report.reset(buffer);
    prioritiesSeen = 0;
    int position = begin;
    boolean granted = false;
    for (int i = 0; i < count; i++) {
      int bytes = shape.bytesAt(position);
      if (bytes > end - position) {
        throw shape.tooShort(bytes, position);
      }
      int request = position + shape.grantBytesAt(position);
      if (request != position) {
        granted = true;
        shape.checkGrant(position);
      }
      checkRequest(request, i == 0, granted);
      position += bytes;
    }
    if (position != end) {
      throw new MalformedException("bytes left over, bytes=" + (end - position));
    }
  }

  private void checkRequest(int position, boolean first, boolean granted) {
    long id = buffer.getLong(position + FrameLayout.ID_OFFSET);
    if (first) {
      firstId = id;
    } else if (id <= lastId) {
      throw new MalformedException("ids do not increase, id=" + id + " last=" + lastId);
    }
    lastId = id;
    int type = shape.typeAt(position);
    if (type == RequestType.PROGRESS) {
      if (!can(Capabilities.PROGRESS)) {
        throw new MalformedException("progress report without the capability");
      }
      report.check(position);
      if (report.listsHotRows() && !Capabilities.has(capabilities, Capabilities.HOT_ROWS)) {
        throw new MalformedException("hot rows without the capability");
      }
      if (report.hasWork() && !Capabilities.has(capabilities, Capabilities.WORK)) {
        throw new MalformedException("work without the capability");
      }
    } else if (type != RequestType.BEGIN) {
      long shown = buffer.getLong(position + FrameLayout.START_TIMESTAMP_OFFSET);
      highestTimestamp = Math.max(highestTimestamp, shown);
    }
    if (type == RequestType.STATUS) {
      long snapshot = buffer.getLong(position + FrameLayout.SNAPSHOT_OFFSET);
      highestTimestamp = Math.max(highestTimestamp, snapshot);
    }
    if (type == RequestType.RESERVE) {
      if (!can(Capabilities.RESERVATIONS)) {
        throw new MalformedException("reservation without the capability");
      }
      shape.checkReserve(position, granted);
    }
    if (type == RequestType.VOTE) {
      if (!can(Capabilities.BUCKETS) || shape.flagsAt(position) != 0) {
        throw new MalformedException("vote without the capability, or with flags");
      }
      tail.moveTo(buffer, shape.hashesEndAt(position));
      validations++;
      recordedHashes +=
          buffer.getInt(position + FrameLayout.RECORD_COUNT_OFFSET)
              + tail.checkedReads(buffer.getInt(position + FrameLayout.CHECK_COUNT_OFFSET));
    }
    if (type == RequestType.VALIDATE) {
      validations++;
      int flags = shape.flagsAt(position);
      RequestShape.checkFlags(flags, FrameLayout.VALIDATE_FLAGS, granted);
      boolean conditional = (flags & FrameLayout.FLAG_CONDITIONAL) != 0;
      if (conditional && !can(Capabilities.ASSIGNED)) {
        throw new MalformedException("conditional validation without the capability");
      }
      if ((flags & FrameLayout.FLAG_REPORTED) != 0 && !can(Capabilities.PROGRESS)) {
        throw new MalformedException("report of an end without the capability");
      }
      if ((flags & FrameLayout.FLAG_SHARDED) != 0 && !(conditional && can(Capabilities.BUCKETS))) {
        throw new MalformedException("map of buckets without condition or capability");
      }
      // A conditional validation also records a hash of its start timestamp.
      recordedHashes +=
          buffer.getInt(position + FrameLayout.RECORD_COUNT_OFFSET) + (conditional ? 1 : 0);
    }
    int priority = shape.priorityAt(position);
    if (priority != 0 && !can(Capabilities.PRIORITY)) {
      throw new MalformedException("priority without the capability, priority=" + priority);
    }
    Priority.ofCode(priority);
    prioritiesSeen |= 1 << priority;
  }
}
