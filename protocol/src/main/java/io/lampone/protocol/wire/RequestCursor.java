package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Goes through the requests of one frame after another where they lie, without making an object.
 *
 * <p>{@link #open} has looked at the whole frame before the first request is shown: its checksum,
 * the shape of every request, and that ids increase. So nobody begins to execute a frame of which
 * the end is malformed, and the accessors trust what they read. The offsets are those of {@link
 * FrameLayout}.
 *
 * <p>Not thread-safe: one cursor per event loop. It looks into the caller's buffer, which must not
 * change before the last request has been executed.
 */
public final class RequestCursor {

  private final CRC32C crc = new CRC32C();

  /** The most requests that a frame may hold. */
  private final int maxMessages;

  /** Buffer with the frame; only absolute positions are used after {@link #open}. */
  private ByteBuffer buffer = ByteBuffer.allocate(0);

  private final RequestShape shape = new RequestShape();

  /** Capabilities that both ends of the connection of this frame have. */
  private long capabilities;

  /** Start of the first request, and end of the last one. */
  private int begin;

  private int end;

  /** Start and end of the present piece: the whole frame until it is cut. */
  private int pieceBegin;

  private int pieceEnd;

  /** Start of the last grant before the piece; -1 = there is none. */
  private int pieceGrant;

  private int count;
  private long firstId;
  private long lastId;
  private long highestTimestamp;

  /** Validations in the frame, and the hashes that they want recorded. */
  private int validations;

  private long recordedHashes;

  /** A bit for each priority that a request of the frame has. */
  private int prioritiesSeen;

  /** Start of the present request, and of the next one. */
  private int at;

  private int next;

  /** Start of the last grant in the frame, up to the present request; -1 = there is none. */
  private int grant;

  /**
   * A cursor without a frame.
   *
   * @param maxMessages the most requests in a frame
   */
  public RequestCursor(int maxMessages) {
    this.maxMessages = maxMessages;
  }

  /**
   * Checks the frame from {@code frame}'s position to its limit and stands before its first
   * request.
   *
   * @param frame in big-endian order; its position and limit are of no use afterwards
   * @param agreed the {@link Capabilities} that both ends have
   * @throws MalformedException if this is not a complete and undamaged frame of requests
   */
  public void open(ByteBuffer frame, long agreed) {
    buffer = frame;
    capabilities = agreed;
    int start = frame.position();
    end = frame.limit();
    shape.open(frame, end);
    begin = start + FrameLayout.MESSAGES_OFFSET;
    if (end < begin) {
      throw new MalformedException("frame too short, bytes=" + (end - start));
    }
    checkHead(start);
    checkRequests();
    pieceBegin = begin;
    pieceEnd = end;
    pieceGrant = -1;
    rewind();
  }

  /**
   * Shows a piece of the frame instead of all of it, the first one to begin with: as many requests
   * as {@code maxBytes} have room for, but at least one.
   */
  public void cut(int maxBytes) {
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
  }

  /** Shows the next piece, if there is one; see {@link #cut}. */
  public boolean nextPiece(int maxBytes) {
    if (pieceEnd == end) {
      return false;
    }
    while (next()) {
      // goes by the grants of this piece
    }
    pieceGrant = grant;
    pieceBegin = pieceEnd;
    cut(maxBytes);
    return true;
  }

  /** Bytes of the present piece. */
  public int pieceBytes() {
    return pieceEnd - pieceBegin;
  }

  /** Number of requests in the frame; at least 1. */
  public int count() {
    return count;
  }

  /** The id of the first request. */
  public long firstId() {
    return firstId;
  }

  /** The id of the last request, the highest one. */
  public long lastId() {
    return lastId;
  }

  /** The highest timestamp that any request of the frame shows, or 0 if none shows a higher one. */
  public long highestTimestamp() {
    return highestTimestamp;
  }

  /** Number of validations in the frame. */
  public int validations() {
    return validations;
  }

  /** Number of hashes that the validations of the frame will record at most. */
  public long recordedHashes() {
    return recordedHashes;
  }

  /** The most urgent priority among the requests of the frame. */
  public Priority mostUrgent() {
    if ((prioritiesSeen & 1 << Priority.SYSTEM.code()) != 0) {
      return Priority.SYSTEM;
    }
    return (prioritiesSeen & 1 << Priority.DEFAULT.code()) != 0 ? Priority.DEFAULT : Priority.BATCH;
  }

  /** Stands before the first request of the piece again. */
  public void rewind() {
    next = pieceBegin;
    grant = pieceGrant;
  }

  /** Goes to the next request of the piece, if there is one. */
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

  /** One of {@link RequestType}. */
  public int type() {
    return shape.typeAt(at);
  }

  /** Returns the priority of the request. */
  public Priority priority() {
    return Priority.ofCode(shape.priorityAt(at));
  }

  /** The id of the request. */
  public long id() {
    return buffer.getLong(at + FrameLayout.ID_OFFSET);
  }

  /** The start timestamp in a validate or status request. */
  public long startTimestamp() {
    return buffer.getLong(at + FrameLayout.START_TIMESTAMP_OFFSET);
  }

  /** The snapshot in a status request; 0 = none. */
  public long snapshot() {
    return buffer.getLong(at + FrameLayout.SNAPSHOT_OFFSET);
  }

  /**
   * Returns true if a validate request has a flag: {@link FrameLayout#FLAG_FIRST_SENDING}, {@link
   * FrameLayout#FLAG_CONDITIONAL} or {@link FrameLayout#FLAG_GRANT}.
   */
  public boolean has(int flag) {
    return (shape.flagsAt(at) & flag) != 0;
  }

  /** Returns true if the sender knows assigned transactions. */
  public boolean knowsAssigned() {
    return Capabilities.has(capabilities, Capabilities.ASSIGNED);
  }

  /** The first timestamp of the grant that a validate request names. */
  public long grantFirst() {
    return buffer.getLong(grant + FrameLayout.GRANT_FIRST_OFFSET);
  }

  /** The span of that grant. */
  public int grantSpan() {
    return buffer.getInt(grant + FrameLayout.GRANT_SPAN_OFFSET);
  }

  /** Half of the secret of that grant: 0 or 1. */
  public long grantSecret(int half) {
    return buffer.getLong(grant + FrameLayout.GRANT_SECRET_OFFSET + half * Long.BYTES);
  }

  /** Number of hashes that a validate request wants checked. */
  public int checks() {
    return buffer.getInt(at + FrameLayout.CHECK_COUNT_OFFSET);
  }

  /** A hash to check; {@code index} is below {@link #checks}. */
  public long check(int index) {
    return buffer.getLong(at + FrameLayout.HASHES_OFFSET + index * Long.BYTES);
  }

  /** Number of hashes that a validate request wants recorded. */
  public int records() {
    return buffer.getInt(at + FrameLayout.RECORD_COUNT_OFFSET);
  }

  /** A hash to record; {@code index} is below {@link #records}. */
  public long record(int index) {
    return check(checks() + index);
  }

  private void checkHead(int start) {
    int length = buffer.getInt(start + FrameLayout.LENGTH_OFFSET);
    if (length != end - start - FrameLayout.HEAD_BYTES) {
      throw new MalformedException(
          "wrong length of a frame, length=" + length + " bytes=" + (end - start));
    }
    crc.reset();
    crc.update(buffer.position(start + FrameLayout.KIND_OFFSET));
    if ((int) crc.getValue() != buffer.getInt(start + FrameLayout.CRC_OFFSET)) {
      throw new MalformedException("wrong checksum of a frame, length=" + length);
    }
    FrameKind kind = FrameKind.ofCode(buffer.get(start + FrameLayout.KIND_OFFSET) & 0xff);
    if (kind != FrameKind.REQUESTS) {
      throw new MalformedException(
          "unexpected frame, kind=" + kind + " expected=" + FrameKind.REQUESTS);
    }
    count = buffer.getInt(start + FrameLayout.COUNT_OFFSET);
    if (count < 1 || count > maxMessages) {
      throw new MalformedException("wrong size of a batch, count=" + count);
    }
  }

  private void checkRequests() {
    highestTimestamp = 0;
    validations = 0;
    recordedHashes = 0;
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
    if (type != RequestType.BEGIN) {
      long shown = buffer.getLong(position + FrameLayout.START_TIMESTAMP_OFFSET);
      highestTimestamp = Math.max(highestTimestamp, shown);
    }
    if (type == RequestType.STATUS) {
      long snapshot = buffer.getLong(position + FrameLayout.SNAPSHOT_OFFSET);
      highestTimestamp = Math.max(highestTimestamp, snapshot);
    }
    if (type == RequestType.VALIDATE) {
      validations++;
      int flags = shape.flagsAt(position);
      RequestShape.checkFlags(flags, granted);
      boolean conditional = (flags & FrameLayout.FLAG_CONDITIONAL) != 0;
      if (conditional && !knowsAssigned()) {
        throw new MalformedException("conditional validation without the capability");
      }
      // A conditional one records one of its start timestamp, too.
      recordedHashes +=
          buffer.getInt(position + FrameLayout.RECORD_COUNT_OFFSET) + (conditional ? 1 : 0);
    }
    int priority = shape.priorityAt(position);
    if (priority != 0 && !Capabilities.has(capabilities, Capabilities.PRIORITY)) {
      throw new MalformedException("priority without the capability, priority=" + priority);
    }
    Priority.ofCode(priority);
    prioritiesSeen |= 1 << priority;
  }
}
