package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Determines the boundaries of a frame's requests from their own counts. The offsets are those of
 * {@link FrameLayout}.
 */
final class RequestShape {

  private ByteBuffer buffer = ByteBuffer.allocate(0);

  /** End of the last request. */
  private int end;

  void open(ByteBuffer frame, int frameEnd) {
    buffer = frame;
    end = frameEnd;
  }

  /**
   * Returns the length of the request at {@code position} with its grant, computed from its counts;
   * exceeds the bytes left if the frame ends before the counts or before the request does.
   */
  int bytesAt(int position) {
    int left = end - position;
    if (left > 0 && grantBytesAt(position) > 0) {
      return FrameLayout.GRANT_BYTES + grantedBytesAt(position + FrameLayout.GRANT_BYTES);
    }
    return requestBytesAt(position);
  }

  /** Returns the length of the request at {@code position} of a checked frame. */
  int checkedBytesAt(int position) {
    int type = typeAt(position);
    if (type == RequestType.BEGIN) {
      return FrameLayout.BEGIN_BYTES;
    }
    if (type == RequestType.STATUS) {
      return FrameLayout.STATUS_BYTES;
    }
    if (type == RequestType.PROGRESS) {
      return progressBytesAt(position);
    }
    return hashesEndAt(position) - position + tailBytesAt(position);
  }

  /** Returns the end of the hashes of a validation, vote or reservation. */
  int hashesEndAt(int position) {
    return position
        + FrameLayout.VALIDATE_FIXED_BYTES
        + (buffer.getInt(position + FrameLayout.CHECK_COUNT_OFFSET)
                + buffer.getInt(position + FrameLayout.RECORD_COUNT_OFFSET))
            * Long.BYTES;
  }

  /** Returns the length of what follows the hashes of a validation, vote or reservation. */
  private int tailBytesAt(int position) {
    if (typeAt(position) == RequestType.VOTE) {
      return FrameLayout.VOTE_TAIL_BYTES;
    }
    return (flagsAt(position) & FrameLayout.FLAG_SHARDED) != 0 ? Long.BYTES : 0;
  }

  /** Returns the length of the request after a grant. */
  private int grantedBytesAt(int position) {
    if (position >= end
        || typeAt(position) != RequestType.VALIDATE && typeAt(position) != RequestType.RESERVE) {
      throw new MalformedException("grant without a validation");
    }
    return requestBytesAt(position);
  }

  /** Returns the length of the grant at {@code position}; 0 if a request is there. */
  int grantBytesAt(int position) {
    return buffer.get(position) == RequestType.GRANT ? FrameLayout.GRANT_BYTES : 0;
  }

  private int requestBytesAt(int position) {
    int left = end - position;
    if (left < FrameLayout.MESSAGE_HEAD_BYTES) {
      throw tooShort(FrameLayout.MESSAGE_HEAD_BYTES, position);
    }
    int type = typeAt(position);
    return switch (type) {
      case RequestType.BEGIN -> FrameLayout.BEGIN_BYTES;
      case RequestType.STATUS -> FrameLayout.STATUS_BYTES;
      case RequestType.VALIDATE, RequestType.VOTE, RequestType.RESERVE ->
          validateBytesAt(position, left);
      case RequestType.PROGRESS -> {
        if (left < FrameLayout.ENDED_OFFSET) {
          throw tooShort(FrameLayout.ENDED_OFFSET, position);
        }
        yield progressBytesAt(position);
      }
      default -> throw new MalformedException("unknown type of request, type=" + type);
    };
  }

  private int progressBytesAt(int position) {
    int bytes =
        FrameLayout.ENDED_OFFSET
            + u16(position + FrameLayout.ENDED_COUNT_OFFSET) * Long.BYTES
            + u16(position + FrameLayout.OPEN_COUNT_OFFSET) * FrameLayout.OPEN_BYTES
            + u16(position + FrameLayout.TEXT_LENGTH_OFFSET);
    int flags = buffer.get(position + FrameLayout.REPORT_FLAGS_OFFSET);
    if ((flags & FrameLayout.FLAG_HOT_ROWS) != 0) {
      need(FrameLayout.HOT_HEAD_BYTES, position + bytes);
      bytes +=
          FrameLayout.HOT_HEAD_BYTES
              + u16(position + bytes) * FrameLayout.HOT_BYTES
              + u16(position + bytes + Short.BYTES);
    }
    if ((flags & FrameLayout.FLAG_WORK) != 0) {
      need(Short.BYTES, position + bytes);
      bytes += Short.BYTES + u16(position + bytes) * FrameLayout.WORK_BYTES;
    }
    if ((flags & FrameLayout.FLAG_SERVER) != 0) {
      need(Short.BYTES, position + bytes);
      bytes += Short.BYTES + u16(position + bytes);
    }
    return bytes;
  }

  private void need(int bytes, int position) {
    if (end - position < bytes) {
      throw tooShort(bytes, position);
    }
  }

  private int u16(int at) {
    return buffer.getShort(at) & 0xffff;
  }

  private int validateBytesAt(int position, int left) {
    if (left < FrameLayout.VALIDATE_FIXED_BYTES) {
      throw tooShort(FrameLayout.VALIDATE_FIXED_BYTES, position);
    }
    long checks = buffer.getInt(position + FrameLayout.CHECK_COUNT_OFFSET);
    long records = buffer.getInt(position + FrameLayout.RECORD_COUNT_OFFSET);
    int room = (left - FrameLayout.VALIDATE_FIXED_BYTES) / Long.BYTES;
    if (checks < 0 || records < 0 || checks + records > room) {
      throw new MalformedException(
          "counts exceed frame, checkCount=" + checks + " recordCount=" + records);
    }
    return FrameLayout.VALIDATE_FIXED_BYTES
        + (int) (checks + records) * Long.BYTES
        + tailBytesAt(position);
  }

  MalformedException tooShort(int needed, int position) {
    return new MalformedException(
        "frame too short, needed=" + needed + " left=" + (end - position));
  }

  int typeAt(int position) {
    return buffer.get(position + FrameLayout.TYPE_OFFSET) & FrameLayout.TYPE_MASK;
  }

  int priorityAt(int position) {
    return (buffer.get(position + FrameLayout.TYPE_OFFSET) & 0xff) >>> FrameLayout.PRIORITY_SHIFT;
  }

  int flagsAt(int position) {
    return buffer.get(position + FrameLayout.FLAGS_OFFSET) & 0xff;
  }

  void checkGrant(int position) {
    int span = buffer.getInt(position + FrameLayout.GRANT_SPAN_OFFSET);
    if (span < 0) {
      throw new MalformedException("negative span of a grant, span=" + span);
    }
  }

  /** Checks the flags and the size of the reserve request at {@code position}. */
  void checkReserve(int position, boolean granted) {
    int flags = flagsAt(position);
    checkFlags(flags, FrameLayout.RESERVE_FLAGS, granted);
    int bytes = hashesEndAt(position) - position - FrameLayout.HASHES_OFFSET;
    if ((flags & FrameLayout.FLAG_GRANT) == 0 || bytes > FrameLayout.MAX_RESERVED * Long.BYTES) {
      throw new MalformedException("reservation without a grant, or too large, bytes=" + bytes);
    }
  }

  /**
   * Checks length, checksum and kind of a frame of requests.
   *
   * @param start its start; the frame ends where {@link #open} was told
   */
  void checkHead(int start, CRC32C crc) {
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
  }

  static void checkFlags(int flags, int known, boolean granted) {
    if ((flags & ~known) != 0) {
      throw new MalformedException("unknown flags of a request, flags=" + flags);
    }
    if ((flags & FrameLayout.FLAG_GRANT) != 0 && !granted) {
      throw new MalformedException("no grant in the frame");
    }
  }
}
