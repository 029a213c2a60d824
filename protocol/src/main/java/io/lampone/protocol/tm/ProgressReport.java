package io.lampone.protocol.tm;

import io.lampone.protocol.wire.Capabilities;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Periodic report of a client or a region server to the transaction manager. Nothing that is right
 * or wrong depends on it: it decides how fresh snapshots without a begin are, and what operators
 * see.
 *
 * @param starts number of start timestamps requested ahead of need, 0..{@value #MAX_STARTS}
 * @param ended commit timestamps whose transactions are decided on their leaders, at most {@value
 *     #MAX_ENDED}
 * @param open the oldest open transactions, at most {@value #MAX_OPEN}; empty = as in the last
 *     report
 * @param hotRows rows with conflicts, at most {@value HotRow#MAX_LISTED}; empty = as in the last
 *     report
 * @param work what has been done since the last report, by the indexes of {@link ClientWork}
 * @param server state of the region server that reports; empty from a client
 */
@SuppressWarnings("ArrayRecordComponent") // never changed after construction
public record ProgressReport(
    int starts,
    long[] ended,
    Optional<List<Open>> open,
    Optional<List<HotRow>> hotRows,
    SortedMap<Integer, Integer> work,
    Optional<ServerReport> server) {

  public static final int MAX_STARTS = 1024;
  public static final int MAX_ENDED = 1000;
  public static final int MAX_OPEN = 64;

  /** Maximum length of the tables of one open transaction. */
  public static final int MAX_TABLES_BYTES = 63;

  /** Maximum length of the tables of all open transactions with a separator each. */
  public static final int MAX_TEXT_BYTES = MAX_OPEN * (MAX_TABLES_BYTES + 1);

  private static final Pattern NOT_PRINTABLE = Pattern.compile("[^ -~]");
  private static final int FIRST_PRINTABLE = ' ';
  private static final int LAST_PRINTABLE = '~';

  /**
   * An open transaction.
   *
   * @param snapshot the start timestamp, or the snapshot in the past that is read
   * @param ageMillis time since its begin
   * @param tables names of the tables that it has used, separated by commas; cut at {@value
   *     #MAX_TABLES_BYTES} characters, with a question mark for each that is not printable ASCII
   */
  public record Open(long snapshot, int ageMillis, String tables) {
    public Open {
      tables = printable(tables, MAX_TABLES_BYTES);
    }
  }

  public ProgressReport {
    open = open.map(List::copyOf);
    hotRows = hotRows.map(List::copyOf);
    work = Collections.unmodifiableSortedMap(new TreeMap<>(work));
    List<Open> listed = open.orElse(List.of());
    int hot = hotRows.map(List::size).orElse(0);
    if (starts < 0
        || starts > MAX_STARTS
        || ended.length > MAX_ENDED
        || listed.size() > MAX_OPEN
        || hot > HotRow.MAX_LISTED
        || work.size() > ClientWork.MAX_COUNTS) {
      throw new IllegalArgumentException(
          "progress beyond limits, starts="
              + starts
              + " ended="
              + ended.length
              + " open="
              + listed.size()
              + " hotRows="
              + hot);
    }
  }

  /** Creates a report that leaves the hot rows unchanged. */
  public ProgressReport(int starts, long[] ended, Optional<List<Open>> open) {
    this(starts, ended, open, Optional.empty(), new TreeMap<>(), Optional.empty());
  }

  /** Creates the report of a region server. */
  public static ProgressReport of(ServerReport server) {
    return new ProgressReport(
        0, new long[0], Optional.empty(), Optional.empty(), new TreeMap<>(), Optional.of(server));
  }

  /** Returns this report as an end with these {@link Capabilities} understands it. */
  public ProgressReport sentTo(long capabilities) {
    boolean hot = Capabilities.has(capabilities, Capabilities.HOT_ROWS);
    boolean worked = Capabilities.has(capabilities, Capabilities.WORK);
    return (hotRows.isEmpty() || hot) && (work.isEmpty() && server.isEmpty() || worked)
        ? this
        : new ProgressReport(
            starts,
            ended,
            open,
            hot ? hotRows : Optional.empty(),
            worked ? work : new TreeMap<>(),
            worked ? server : Optional.empty());
  }

  static String printable(String text, int maxBytes) {
    String cut = text.length() > maxBytes ? text.substring(0, maxBytes) : text;
    return NOT_PRINTABLE.matcher(cut).replaceAll("?");
  }

  /** Returns true if the character is printable ASCII. */
  public static boolean isPrintable(int character) {
    return character >= FIRST_PRINTABLE && character <= LAST_PRINTABLE;
  }

  /** Returns the tables of the open transactions, a line for each. */
  public String text() {
    return open.stream().flatMap(List::stream).map(Open::tables).collect(Collectors.joining("\n"));
  }

  /** Returns the texts of the hot rows, a line for each. */
  public String hotText() {
    return hotRows.stream()
        .flatMap(List::stream)
        .map(HotRow::line)
        .collect(Collectors.joining("\n"));
  }
}
