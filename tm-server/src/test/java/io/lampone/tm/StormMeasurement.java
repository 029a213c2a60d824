package io.lampone.tm;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.tm.core.MemoryRecordStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long an admitted client's begins take in calm and in each storm. A program, not a test:
 *
 * <pre>benchmarks/run storms [seconds for each measurement] [rounds]</pre>
 *
 * <p>What is to be measured is what a storm does to the server, and not what whoever makes it does
 * to the processors: so the server has processor 1 to itself, and the client shares processor 0
 * with a storm of the lowest priority, which makes way when the client wakes up. In calm its
 * neighbour there does nothing but keep the processor busy, at that same priority.
 */
final class StormMeasurement {

  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
  private static final int CONNECTIONS = 10_000;
  private static final String SERVER_PROCESSOR = "1";
  private static final String LOAD_PROCESSOR = "0";

  /** What happens on the client's processor, beside the client. */
  private enum Neighbour {
    CALM,
    CONNECTIONS,
    SMALL_BEGINS,
    BEGINS,
    TWO_OF_BEGINS
  }

  private StormMeasurement() {}

  /** Conducts; or plays one of the parts, if told so by itself. */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0 && arguments[0].equals("server")) {
      serve();
    } else if (arguments.length > 0 && arguments[0].equals("client")) {
      ask(Integer.parseInt(arguments[1]));
    } else if (arguments.length > 0 && arguments[0].equals("neighbour")) {
      rage(Neighbour.valueOf(arguments[1]), Integer.parseInt(arguments[2]));
    } else {
      conduct(
          arguments.length > 0 ? Integer.parseInt(arguments[0]) : 4,
          arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3);
    }
  }

  private static void conduct(int seconds, int rounds) throws Exception {
    try (Part server = new Part(SERVER_PROCESSOR, 0, "server")) {
      String port = server.hear();
      try (Part client = new Part(LOAD_PROCESSOR, 0, "client", port)) {
        client.ask("" + 2 * seconds); // warms both up
        for (int round = 1; round <= rounds; round++) {
          double calm = 0;
          for (Neighbour neighbour : Neighbour.values()) {
            String[] figures;
            try (Part beside = new Part(LOAD_PROCESSOR, 19, "neighbour", neighbour.name(), port)) {
              beside.hear();
              figures = client.ask("" + seconds).split(" ");
            }
            double p99 = Double.parseDouble(figures[3]);
            calm = neighbour == Neighbour.CALM ? p99 : calm;
            System.out.printf(
                "round=%d neighbour=%s begins=%s refused=%s p50=%s us p99=%s us p999=%s us"
                    + " ratioOfP99=%.2f%n",
                round,
                neighbour,
                figures[0],
                figures[1],
                figures[2],
                figures[3],
                figures[4],
                p99 / calm);
          }
        }
      }
    }
  }

  private static void serve() throws Exception {
    try (TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder().bindHost("127.0.0.1").bindPort(0).build(),
            new MetricRegistry(),
            new MemoryRecordStore(),
            SystemClock.INSTANCE)) {
      server.whenPrimary().join();
      System.out.println(server.port());
      waitForTheEnd();
    }
  }

  private static void ask(int port) throws Exception {
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    try (FrameSocket socket = new FrameSocket(port)) {
      socket.greet();
      long id = 1;
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        List<Long> nanos = new ArrayList<>();
        int refused = 0;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(line));
        while (System.nanoTime() - end < 0) {
          long before = System.nanoTime();
          boolean begun = socket.begins(id++);
          nanos.add(System.nanoTime() - before);
          refused += begun ? 0 : 1;
          LockSupport.parkNanos(PAUSE_NANOS);
        }
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        System.out.printf(
            "%d %d %.0f %.0f %.0f%n",
            sorted.length,
            refused,
            sorted[sorted.length / 2] / 1e3,
            sorted[sorted.length * 99 / 100] / 1e3,
            sorted[sorted.length * 999 / 1000] / 1e3);
      }
    }
  }

  private static void rage(Neighbour neighbour, int port) throws Exception {
    List<Storm> storms = new ArrayList<>();
    switch (neighbour) {
      case CALM -> {
        Thread busy =
            new Thread(
                () -> {
                  while (!Thread.currentThread().isInterrupted()) {
                    Thread.onSpinWait();
                  }
                });
        busy.setDaemon(true);
        busy.start();
      }
      case CONNECTIONS -> storms.add(Storm.ofConnections(port, CONNECTIONS));
      case SMALL_BEGINS -> storms.add(Storm.ofBegins(port, 1));
      case BEGINS -> storms.add(Storm.ofBegins(port, 1000));
      case TWO_OF_BEGINS ->
          storms.addAll(List.of(Storm.ofBegins(port, 1000), Storm.ofBegins(port, 1000)));
    }
    // Once it rages: for connections, when as many are open as ever will be.
    while (neighbour == Neighbour.CONNECTIONS && storms.get(0).done() < CONNECTIONS) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    System.out.println("rages");
    waitForTheEnd();
    for (Storm storm : storms) {
      storm.close();
    }
  }

  private static void waitForTheEnd() throws IOException {
    while (System.in.read() >= 0) {
      // Nothing to say.
    }
  }

  /** A process that plays a part; it ends when its input does. */
  private static final class Part implements AutoCloseable {

    private final Process process;
    private final BufferedReader said;

    Part(String processor, int niceness, String... arguments) throws IOException {
      List<String> command =
          new ArrayList<>(List.of("taskset", "-c", processor, "nice", "-n", "" + niceness));
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(
          List.of("-cp", System.getProperty("java.class.path"), StormMeasurement.class.getName()));
      command.addAll(Arrays.asList(arguments));
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      said = process.inputReader(StandardCharsets.US_ASCII);
    }

    String hear() throws IOException {
      String line = said.readLine();
      if (line == null) {
        throw new IOException("a part has ended before its time");
      }
      return line;
    }

    String ask(String question) throws IOException {
      process.getOutputStream().write((question + "\n").getBytes(StandardCharsets.US_ASCII));
      process.getOutputStream().flush();
      return hear();
    }

    @Override
    public void close() throws InterruptedException {
      try {
        process.getOutputStream().close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      process.waitFor();
    }
  }
}
