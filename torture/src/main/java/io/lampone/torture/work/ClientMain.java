package io.lampone.torture.work;

import io.lampone.client.LamponeClient;
import io.lampone.history.History;
import io.lampone.history.HistoryWriter;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;

/**
 * A client in a process of its own. It says {@code READY nanos} when it is connected, and {@code
 * STATUS} every second; it ends by {@code STOP}, finishing what it has begun, or at once when
 * whoever started it has gone.
 *
 * <p>Times in histories are those of the monotonic clock of the machine, which is one for all its
 * processes: the reading that comes with {@code READY} lets the lab see that this is so.
 */
public final class ClientMain {

  /** Begins the line that says that it is connected. */
  public static final String READY = "READY ";

  /** Begins the line with a {@link ClientStatus}. */
  public static final String STATUS = "STATUS ";

  /** Tells it to end. */
  public static final String STOP = "STOP";

  /** The clocks of two processors of a machine may differ by less than this. */
  public static final long CLOCK_SLACK_NANOS = 1_000;

  /** What the histories claim. */
  public static final String CLAIM = "strong-si";

  private static final int EXIT_ORPHANED = 5;
  private static final long STATUS_MILLIS = 1_000;
  private static final long LONGEST_PAUSE_MICROS = 6_000;
  private static final long CONNECT_PAUSE_MILLIS = 500;

  private final ClientPlan plan;
  private final Clock clock;
  private final Stamps stamps;
  private final Tally tally = new Tally();
  private final CountDownLatch stop = new CountDownLatch(1);

  private ClientMain(ClientPlan plan, Clock clock) {
    this.plan = plan;
    this.clock = clock;
    this.stamps = new Stamps(plan.number());
  }

  /** The entry point of the process. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    ClientMain main = new ClientMain(ClientPlan.parse(arguments), SystemClock.INSTANCE);
    Thread parent = new Thread(main::listen, "parent");
    parent.setDaemon(true);
    parent.start();
    main.run();
    // Not by exit hooks: everything is written, and a library that hangs must not keep us.
    Runtime.getRuntime().halt(0);
  }

  /** The header of every part of a history. */
  public static History.Header header(WorkloadKind kind, long seed) {
    return new History.Header(kind.historyWorkload(), CLAIM, seed, CLOCK_SLACK_NANOS);
  }

  private void run() throws IOException, InterruptedException {
    LamponeClient client = connect();
    say(READY + clock.monotonicNanos());
    List<HistoryWriter> writers = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (WorkloadKind kind : plan.workloads()) {
      Path file = ClientPlan.part(plan.folder(), kind, plan.number());
      HistoryWriter writer =
          new HistoryWriter(
              new LineWriter(Files.newBufferedWriter(file)),
              header(kind, plan.seed()),
              "lampone",
              clock::monotonicNanos);
      writers.add(writer);
      Workload workload = kind.create(plan.site());
      for (int i = 0; i < plan.threadsEach(); i++) {
        Random random = new Random(plan.seed() * 31 + threads.size());
        ClientSession session =
            new ClientSession(
                client,
                TableName.valueOf(kind.table()),
                new Recorder(writer, stamps, tally, clock),
                stamps,
                random);
        Thread thread = new Thread(() -> work(workload, session), kind.label() + "-" + i);
        threads.add(thread);
        thread.start();
      }
    }
    while (!stop.await(STATUS_MILLIS, TimeUnit.MILLISECONDS)) {
      say(STATUS + tally.take());
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (HistoryWriter writer : writers) {
      writer.close();
    }
    say(STATUS + tally.take());
    client.close();
  }

  private void work(Workload workload, ClientSession session) {
    try {
      while (!stop.await(session.random().nextLong(LONGEST_PAUSE_MICROS), TimeUnit.MICROSECONDS)) {
        workload.step(session);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // A mistake of the workload, or something that the product should not throw.
      e.printStackTrace();
      session.violation("client: " + e);
    }
  }

  /** Faults may be on already when a client is started again. */
  private LamponeClient connect() throws InterruptedException {
    Configuration configuration = Connections.configuration(plan.site());
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
        if (line.equals(STOP)) {
          stop.countDown();
        }
        line = lines.readLine();
      }
    } catch (IOException ignored) {
      // It has gone.
    }
    Runtime.getRuntime().halt(EXIT_ORPHANED);
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
