package io.lampone.faultlab.work.client;

import io.lampone.checker.History;
import io.lampone.client.LamponeClient;
import io.lampone.faultlab.event.EventCounts;
import io.lampone.faultlab.work.Connections;
import io.lampone.faultlab.work.HistoryCells;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.jspecify.annotations.Nullable;

/**
 * Client in a separate process, for one round after the other. {@code ROUND} and a {@link
 * ClientPlan} begin a round: the client prints {@code READY nanos} when it is connected, and {@code
 * STATUS} every second. {@code STOP} ends it: the client finishes the work under way, then prints
 * {@code DONE}. The process ends at once when its parent has ended.
 *
 * <p>Times in histories are those of the monotonic clock of the machine, which is the same for all
 * its processes: the lab verifies that by the reading in {@code READY}.
 */
public final class ClientMain {

  /** Begins a round; the arguments of a plan follow, each after a {@link #SEPARATOR}. */
  public static final String ROUND = "ROUND";

  /** Before each argument of a plan. */
  public static final String SEPARATOR = "\t";

  /** Prefix of the line that reports the connection. */
  public static final String READY = "READY ";

  /** Begins the line with a {@link ClientStatus}. */
  public static final String STATUS = "STATUS ";

  /** Begins the line with the {@link EventCounts} since it connected. */
  public static final String EVENTS = "EVENTS ";

  /** Ends a round. */
  public static final String STOP = "STOP";

  /** Line that reports the end of a round, with all files written. */
  public static final String DONE = "DONE";

  /** The clocks of two processors of a machine may differ by less than this. */
  public static final long CLOCK_SLACK_NANOS = 1_000;

  /** Isolation that the histories claim. */
  public static final String CLAIM = "strong-si";

  private static final int EXIT_ORPHANED = 5;
  private static final long CONNECT_PAUSE_MILLIS = 500;

  private final Clock clock;
  private final LinkedBlockingQueue<ClientRound> rounds = new LinkedBlockingQueue<>();

  /** Round that {@code STOP} refers to; used by the listening thread only. */
  private @Nullable ClientRound latest;

  private ClientMain(Clock clock) {
    this.clock = clock;
  }

  /** The entry point of the process. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    ClientMain main = new ClientMain(SystemClock.INSTANCE);
    Thread parent = new Thread(main::listen, "parent");
    parent.setDaemon(true);
    parent.start();
    main.run();
  }

  /** The header of every part of a history. */
  public static History.Header header(WorkloadKind kind, List<TableName> tables, long seed) {
    return new History.Header(
        kind.historyWorkload(),
        CLAIM,
        seed,
        CLOCK_SLACK_NANOS,
        tables.stream()
            .map(TableName::getNameWithNamespaceInclAsString)
            .collect(Collectors.joining(",")),
        HistoryCells.RULE,
        kind.levels(tables).stream()
            .map(level -> level.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(",")));
  }

  private void run() throws IOException, InterruptedException {
    ClientRound round = rounds.take();
    LamponeClient client = connect(round.plan());
    while (true) {
      say(READY + clock.monotonicNanos());
      round.run(client);
      CoverageDump.write();
      say(DONE);
      round = rounds.take();
    }
  }

  /** Faults may be on already when a client is started again. */
  private static LamponeClient connect(ClientPlan plan) throws InterruptedException {
    Configuration configuration = Connections.configuration(plan.site());
    plan.limits().forEach(configuration::set);
    while (true) {
      try {
        return LamponeClient.connect(configuration);
      } catch (IOException e) {
        System.err.println("not connected yet: " + e);
        TimeUnit.MILLISECONDS.sleep(CONNECT_PAUSE_MILLIS);
      }
    }
  }

  private void listen() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      while (line != null) {
        hear(line);
        line = lines.readLine();
      }
    } catch (IOException | RuntimeException e) {
      // The parent has ended, or sent an invalid command.
      System.err.println("the lab does not answer any more: " + e);
    }
    // Not by exit hooks: a library that hangs must not keep us.
    Runtime.getRuntime().halt(EXIT_ORPHANED);
  }

  private void hear(String line) {
    if (line.startsWith(ROUND)) {
      List<String> words = List.of(line.split(SEPARATOR, -1));
      latest =
          new ClientRound(ClientPlan.parse(words.subList(1, words.size())), clock, ClientMain::say);
      rounds.add(latest);
    } else if (line.equals(STOP) && latest != null) {
      latest.stop();
    }
  }

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
