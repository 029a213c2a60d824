package io.lampone.faultlab.event;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counters of the transaction managers, polled from their metrics: a killed process loses at most
 * the counts since the last poll.
 */
public final class ManagerEvents implements AutoCloseable {

  /** The setting of transaction managers by which they let the lab read. */
  private static final String TOKEN_FILE = "lampone.tm.http.token.file";

  private static final String TOKEN = "fault-lab-reads-metrics";
  private static final long PERIOD_MILLIS = 1_500;
  private static final Duration BOUND = Duration.ofSeconds(1);

  /** A counter, of one reason if it has any. */
  private static final Pattern COUNTER =
      Pattern.compile("lampone_tm_([a-z_]+)_total(?:\\{reason=\"([a-z-]+)\"\\})? ([0-9.eE+]+)");

  private final List<URI> pages;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(BOUND).build();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** The last reading of each page; used by one thread at a time. */
  private final Map<URI, EventCounts> last = new HashMap<>();

  private EventCounts sum = EventCounts.NONE;

  /**
   * Begins to read.
   *
   * @param pages of metrics, one of each transaction manager
   */
  public ManagerEvents(List<URI> pages) {
    this.pages = List.copyOf(pages);
    Thread thread = new Thread(this::run, "manager-events");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Writes the token.
   *
   * @param folder of the lab
   * @return settings of the transaction managers
   */
  public static Map<String, String> settings(Path folder) throws IOException {
    Path file = folder.resolve("metrics.token");
    if (Files.notExists(file)) {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, TOKEN + "\n");
    }
    return Map.of(TOKEN_FILE, file.toAbsolutePath().toString());
  }

  /** Returns the events since the start of the lab. */
  public synchronized EventCounts counts() {
    for (URI page : pages) {
      read(page);
    }
    return sum;
  }

  private void run() {
    try {
      while (!closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
        counts();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void read(URI page) {
    try {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(page)
                  .timeout(BOUND)
                  .header("Authorization", "Bearer " + TOKEN)
                  .build(),
              HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      if (answer.statusCode() == 200) {
        EventCounts now = parse(answer.body());
        sum = sum.plus(now.since(last.getOrDefault(page, EventCounts.NONE)));
        last.put(page, now);
      }
    } catch (IOException ignored) {
      // It is down, or cut off: the next poll decides.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the counters of a page: {@code manager.validations-refused.below-floor}. */
  static EventCounts parse(String page) {
    SortedMap<String, Long> counts = new TreeMap<>();
    page.lines()
        .map(COUNTER::matcher)
        .filter(Matcher::matches)
        .forEach(
            found ->
                counts.put(
                    "manager."
                        + found.group(1).replace('_', '-')
                        + (found.group(2) == null ? "" : "." + found.group(2)),
                    (long) Double.parseDouble(found.group(3))));
    return new EventCounts(counts);
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
