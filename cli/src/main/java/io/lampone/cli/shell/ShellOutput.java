package io.lampone.cli.shell;

import io.lampone.cli.CommandException;
import io.lampone.cli.Failure;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Result;

/** Prints rows as the HBase shell does, but UTF-8 as text and versions as times. */
public final class ShellOutput {

  private static final int FIRST_COLUMN = 22;

  /** Longest encoding of a character, in bytes. */
  private static final int MAX_CHARACTER = 4;

  private final PrintWriter out;
  private final CharsetEncoder encoder;

  /** Creates output to a destination that can show all characters. */
  public ShellOutput(PrintWriter out) {
    this(out, StandardCharsets.UTF_8);
  }

  /** Creates output to a destination that can show the characters of {@code charset}. */
  ShellOutput(PrintWriter out, Charset charset) {
    this.out = out;
    this.encoder = charset.newEncoder();
  }

  /**
   * Fails if output was lost.
   *
   * @throws CommandException if it was
   */
  void require() {
    if (out.checkError()) {
      throw new CommandException(Failure.OUTPUT_LOST.message(), Failure.OUTPUT_LOST.advice());
    }
  }

  /** Prints one line of text. */
  void line(String text) {
    out.println(text);
    out.flush();
  }

  /** Prints two columns; the second is aligned unless the first is too long. */
  void columns(String first, String second) {
    int blanks = Math.max(1, FIRST_COLUMN - first.length());
    out.println(first + " ".repeat(blanks) + second);
  }

  /** Prints the cells of one row, each with its row key. */
  void row(Result result) {
    for (Cell cell : result.rawCells()) {
      columns(
          " " + text(Bytes.of(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength())),
          "column=" + column(cell) + ", " + content(cell));
    }
  }

  /** Prints the cells of one row, each with its column. */
  void cells(Result result) {
    for (Cell cell : result.rawCells()) {
      columns(" " + column(cell), content(cell));
    }
  }

  /** Prints the number of rows. */
  void rows(long count) {
    line(count + (count == 1 ? " row" : " rows"));
  }

  /** Prints one line for each element. */
  void lines(List<String> lines) {
    lines.forEach(out::println);
    out.flush();
  }

  /**
   * Returns {@code bytes} as they may be typed between double quotes: characters that can be seen
   * as they are, with a backslash before a double quote; every other byte as {@code \xNN}.
   */
  String text(Bytes bytes) {
    byte[] all = bytes.unsafeArray();
    StringBuilder text = new StringBuilder(all.length);
    int next = 0;
    while (next < all.length) {
      String character = visible(all, next);
      if (character.isEmpty()) {
        text.append(String.format("\\x%02X", all[next]));
        next++;
      } else {
        text.append(character.equals("\"") ? "\\\"" : character);
        next += character.getBytes(StandardCharsets.UTF_8).length;
      }
    }
    return text.toString();
  }

  /** Returns the character that begins at {@code start}; empty if it cannot be shown. */
  private String visible(byte[] all, int start) {
    for (int length = 1; length <= Math.min(MAX_CHARACTER, all.length - start); length++) {
      String text = new String(all, start, length, StandardCharsets.UTF_8);
      int character = text.codePointAt(0);
      if (character != '\ufffd' && text.length() == Character.charCount(character)) {
        return character != '\\' && isVisible(character) && encoder.canEncode(text) ? text : "";
      }
    }
    return "";
  }

  private static boolean isVisible(int character) {
    return character == ' '
        || switch (Character.getType(character)) {
          case Character.CONTROL,
              Character.FORMAT,
              Character.SURROGATE,
              Character.PRIVATE_USE,
              Character.UNASSIGNED,
              Character.LINE_SEPARATOR,
              Character.PARAGRAPH_SEPARATOR,
              Character.SPACE_SEPARATOR ->
              false;
          default -> true;
        };
  }

  /** Returns the time of a version; those that plain HBase wrote are in milliseconds. */
  private static Instant time(long version) {
    return Timestamps.isPlain(version)
        ? Instant.ofEpochMilli(version)
        : Timestamps.toInstant(version);
  }

  private String column(Cell cell) {
    return text(Bytes.of(cell.getFamilyArray(), cell.getFamilyOffset(), cell.getFamilyLength()))
        + ":"
        + text(
            Bytes.of(
                cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength()));
  }

  private String content(Cell cell) {
    return "timestamp="
        + time(cell.getTimestamp())
        + ", value="
        + text(Bytes.of(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()));
  }
}
