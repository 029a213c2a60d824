package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.ProgressReport;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Progress reports in a frame of requests, read in place; see {@link ProgressReport}. */
public final class ReportCursor {

  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int at;
  private int inFrame;

  void reset(ByteBuffer frame) {
    buffer = frame;
    inFrame = 0;
  }

  void moveTo(int position) {
    at = position;
  }

  /** Returns the number of progress reports in the frame. */
  public int inFrame() {
    return inFrame;
  }

  /** Returns the number of start timestamps that are requested. */
  public int starts() {
    return u16(FrameLayout.STARTS_OFFSET);
  }

  /** Returns the number of ended transactions. */
  public int ended() {
    return u16(FrameLayout.ENDED_COUNT_OFFSET);
  }

  /**
   * Returns the commit timestamp of an ended transaction; {@code index} is below {@link #ended}.
   */
  public long ended(int index) {
    return buffer.getLong(at + FrameLayout.ENDED_OFFSET + index * Long.BYTES);
  }

  /** Returns true if open transactions are listed; else they are unchanged. */
  public boolean lists() {
    return buffer.get(at + FrameLayout.REPORT_FLAGS_OFFSET) == FrameLayout.FLAG_LISTS;
  }

  /** Returns the open transactions. */
  public List<ProgressReport.Open> open() {
    int count = u16(FrameLayout.OPEN_COUNT_OFFSET);
    int position = at + FrameLayout.ENDED_OFFSET + ended() * Long.BYTES;
    byte[] text = new byte[u16(FrameLayout.TEXT_LENGTH_OFFSET)];
    buffer.get(position + count * FrameLayout.OPEN_BYTES, text);
    String[] lines = new String(text, StandardCharsets.US_ASCII).split("\n", -1);
    List<ProgressReport.Open> open = new ArrayList<>(count);
    for (int i = 0; i < count; i++, position += FrameLayout.OPEN_BYTES) {
      open.add(
          new ProgressReport.Open(
              buffer.getLong(position), buffer.getInt(position + Long.BYTES), lines[i]));
    }
    return open;
  }

  /** Checks the limits and the text of the report at {@code position}, and counts it. */
  void check(int position) {
    at = position;
    inFrame++;
    int open = u16(FrameLayout.OPEN_COUNT_OFFSET);
    int text = u16(FrameLayout.TEXT_LENGTH_OFFSET);
    int flags = buffer.get(at + FrameLayout.REPORT_FLAGS_OFFSET);
    if ((flags & ~FrameLayout.FLAG_LISTS) != 0 || !lists() && open > 0) {
      throw new MalformedException("wrong flags of a progress report, flags=" + flags);
    }
    if (starts() > ProgressReport.MAX_STARTS
        || ended() > ProgressReport.MAX_ENDED
        || open > ProgressReport.MAX_OPEN
        || text > ProgressReport.MAX_TEXT_BYTES) {
      throw new MalformedException(
          "progress report too large, starts="
              + starts()
              + " ended="
              + ended()
              + " open="
              + open
              + " text="
              + text);
    }
    int textAt =
        at + FrameLayout.ENDED_OFFSET + ended() * Long.BYTES + open * FrameLayout.OPEN_BYTES;
    int lines = open == 0 && text == 0 ? 0 : 1;
    for (int i = textAt; i < textAt + text; i++) {
      byte character = buffer.get(i);
      if (character == '\n') {
        lines++;
      } else if (!ProgressReport.isPrintable(character)) {
        throw new MalformedException("text is not printable, character=" + character);
      }
    }
    if (lines != open) {
      throw new MalformedException("lines do not match, lines=" + lines + " open=" + open);
    }
  }

  private int u16(int offset) {
    return buffer.getShort(at + offset) & 0xffff;
  }
}
