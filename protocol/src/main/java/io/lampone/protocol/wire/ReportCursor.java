package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.ClientWork;
import io.lampone.protocol.tm.HotRow;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.ServerReport;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
    return has(FrameLayout.FLAG_LISTS);
  }

  /** Returns true if hot rows are listed; else they are unchanged. */
  public boolean listsHotRows() {
    return has(FrameLayout.FLAG_HOT_ROWS);
  }

  /** Returns true if there is work of a client, or the state of a region server. */
  public boolean hasWork() {
    return has(FrameLayout.FLAG_WORK) || has(FrameLayout.FLAG_SERVER);
  }

  /** Passes on what the client has done since its last report: index and count. */
  public void work(CountSink counts) {
    if (!has(FrameLayout.FLAG_WORK)) {
      return;
    }
    int position = workAt();
    int count = position + Short.BYTES;
    for (int left = u16At(position); left > 0; left--) {
      counts.accept(u16At(count), buffer.getInt(count + Short.BYTES));
      count += FrameLayout.WORK_BYTES;
    }
  }

  /** Returns the state of the region server that reports, if it is one. */
  public Optional<ServerReport> server() {
    return has(FrameLayout.FLAG_SERVER)
        ? Optional.of(ServerReport.of(text(serverAt() + Short.BYTES, u16At(serverAt()))))
        : Optional.empty();
  }

  /** Receiver of counts. */
  @FunctionalInterface
  public interface CountSink {
    void accept(int index, int count);
  }

  /** Returns the open transactions. */
  public List<ProgressReport.Open> open() {
    int count = u16(FrameLayout.OPEN_COUNT_OFFSET);
    int position = openAt();
    String[] lines =
        lines(position + count * FrameLayout.OPEN_BYTES, u16(FrameLayout.TEXT_LENGTH_OFFSET));
    List<ProgressReport.Open> open = new ArrayList<>(count);
    for (int i = 0; i < count; i++, position += FrameLayout.OPEN_BYTES) {
      open.add(
          new ProgressReport.Open(
              buffer.getLong(position), buffer.getInt(position + Long.BYTES), lines[i]));
    }
    return open;
  }

  /** Returns the hot rows. */
  public List<HotRow> hotRows() {
    int head = hotRowsAt();
    int count = u16At(head);
    int position = head + FrameLayout.HOT_HEAD_BYTES;
    String[] lines = lines(position + count * FrameLayout.HOT_BYTES, u16At(head + Short.BYTES));
    List<HotRow> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++, position += FrameLayout.HOT_BYTES) {
      rows.add(
          HotRow.of(lines[i], buffer.getInt(position), buffer.getLong(position + Integer.BYTES)));
    }
    return rows;
  }

  /** Checks the limits and the text of the report at {@code position}, and counts it. */
  void check(int position) {
    at = position;
    inFrame++;
    int open = u16(FrameLayout.OPEN_COUNT_OFFSET);
    int text = u16(FrameLayout.TEXT_LENGTH_OFFSET);
    int flags = buffer.get(at + FrameLayout.REPORT_FLAGS_OFFSET);
    if ((flags & ~FrameLayout.REPORT_FLAGS) != 0 || !lists() && open > 0) {
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
    checkLines(openAt() + open * FrameLayout.OPEN_BYTES, text, open);
    if (listsHotRows()) {
      checkHotRows();
    }
    if (hasWork()) {
      checkWork();
    }
  }

  private void checkWork() {
    int counts = has(FrameLayout.FLAG_WORK) ? u16At(workAt()) : 0;
    if (counts > ClientWork.MAX_COUNTS) {
      throw new MalformedException("too many counts of work, counts=" + counts);
    }
    int last = -1;
    int position = workAt() + Short.BYTES;
    for (int left = counts; left > 0; left--) {
      int index = u16At(position);
      if (index <= last || buffer.getInt(position + Short.BYTES) < 0) {
        throw new MalformedException("negative or repeated count of work, index=" + index);
      }
      last = index;
      position += FrameLayout.WORK_BYTES;
    }
    int text = has(FrameLayout.FLAG_SERVER) ? u16At(serverAt()) : 0;
    if (text > ServerReport.MAX_TEXT_BYTES) {
      throw new MalformedException("too much text of a region server, text=" + text);
    }
    try {
      var unused = server();
      assert unused.isPresent() == has(FrameLayout.FLAG_SERVER);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()));
    }
  }

  private void checkHotRows() {
    int head = hotRowsAt();
    int count = u16At(head);
    int text = u16At(head + Short.BYTES);
    if (count > HotRow.MAX_LISTED || text > HotRow.MAX_TEXT_BYTES) {
      throw new MalformedException("too many hot rows, count=" + count + " text=" + text);
    }
    checkLines(head + FrameLayout.HOT_HEAD_BYTES + count * FrameLayout.HOT_BYTES, text, count);
    try {
      var unused = hotRows();
      assert unused.size() == count;
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()));
    }
  }

  private void checkLines(int textAt, int length, int expected) {
    int lines = expected == 0 && length == 0 ? 0 : 1;
    for (int i = textAt; i < textAt + length; i++) {
      byte character = buffer.get(i);
      if (character == '\n') {
        lines++;
      } else if (!ProgressReport.isPrintable(character)) {
        throw new MalformedException("text is not printable, character=" + character);
      }
    }
    if (lines != expected) {
      throw new MalformedException("lines do not match, lines=" + lines + " entries=" + expected);
    }
  }

  private String[] lines(int textAt, int length) {
    return text(textAt, length).split("\n", -1);
  }

  private String text(int textAt, int length) {
    byte[] text = new byte[length];
    buffer.get(textAt, text);
    return new String(text, StandardCharsets.US_ASCII);
  }

  private int openAt() {
    return at + FrameLayout.ENDED_OFFSET + ended() * Long.BYTES;
  }

  private int hotRowsAt() {
    return openAt()
        + u16(FrameLayout.OPEN_COUNT_OFFSET) * FrameLayout.OPEN_BYTES
        + u16(FrameLayout.TEXT_LENGTH_OFFSET);
  }

  private int workAt() {
    int head = hotRowsAt();
    return listsHotRows()
        ? head
            + FrameLayout.HOT_HEAD_BYTES
            + u16At(head) * FrameLayout.HOT_BYTES
            + u16At(head + Short.BYTES)
        : head;
  }

  private int serverAt() {
    return has(FrameLayout.FLAG_WORK)
        ? workAt() + Short.BYTES + u16At(workAt()) * FrameLayout.WORK_BYTES
        : workAt();
  }

  private boolean has(int flag) {
    return (buffer.get(at + FrameLayout.REPORT_FLAGS_OFFSET) & flag) != 0;
  }

  private int u16(int offset) {
    return u16At(at + offset);
  }

  private int u16At(int position) {
    return buffer.getShort(position) & 0xffff;
  }
}
