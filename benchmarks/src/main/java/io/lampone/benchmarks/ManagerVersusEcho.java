package io.lampone.benchmarks;

import io.lampone.benchmarks.report.Fields;
import io.lampone.benchmarks.report.JsonLine;
import io.lampone.benchmarks.report.MarkdownTable;
import io.lampone.benchmarks.report.Quartiles;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Benchmark of a begin beside a bare echo of the same frame, at rates from one a second: it shows
 * the cost of a server that gathers requests, or that must first wake threads up. Slices of a
 * fraction of a second alternate between an echo, the transaction manager and a second echo; the
 * difference between the two echoes is chance.
 */
public final class ManagerVersusEcho implements AutoCloseable {

  private static final String ECHO = "echo";
  private static final String MANAGER = "manager";
  private static final String ECHO_AGAIN = "echo-again";
  private static final List<String> SERVERS = List.of(ECHO, MANAGER, ECHO_AGAIN);

  private static final double SLICE_SECONDS = 0.3;
  private static final int WARM_UP_PER_SECOND = 10_000;
  private static final int HEAP_MEGABYTES = 512;
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final double MEDIAN = 50;
  private static final double TAIL = 99;

  private final List<ChildProcess> servers = new ArrayList<>();
  private final ChildProcess asking;

  /** Latencies by rate and server, slice by slice. */
  private final Map<Integer, Map<String, List<Latencies>>> seen = new LinkedHashMap<>();

  private ManagerVersusEcho(Cores cores, boolean busyPoll) throws IOException {
    List<String> arguments = new ArrayList<>();
    List<String> kind = busyPoll ? List.of(MemoryManagerProcess.BUSY_POLL) : List.of();
    try {
      for (String server : SERVERS) {
        boolean echo = !server.equals(MANAGER);
        Class<?> main = echo ? EchoProcess.class : MemoryManagerProcess.class;
        ChildProcess process = ChildProcess.startServer(program(server, main, kind), cores);
        servers.add(process);
        arguments.add(server + "=" + process.ready().text("port") + (echo ? "=echo" : ""));
      }
      asking = ChildProcess.startLoad(program("asking", PollingProcess.class, arguments), cores);
    } catch (IOException | RuntimeException e) {
      servers.forEach(ChildProcess::close);
      throw e;
    }
  }

  /** Runs the benchmark. Options: see docs/evidence/benchmarks/tm-figures.md. */
  public static void main(String[] arguments) throws Exception {
    run(arguments, System.out);
  }

  static void run(String[] arguments, PrintStream out) throws IOException {
    Options options =
        new Options(arguments, Set.of("rates", "slices", "warm-up"), Set.of("busy-poll", "json"));
    Cores cores = Cores.ofThisMachine();
    try (ManagerVersusEcho run = new ManagerVersusEcho(cores, options.has("busy-poll"))) {
      run.warmUp(options.number("warm-up", 2));
      List<ChildProcess> own = new ArrayList<>(run.servers);
      own.add(run.asking);
      BackgroundCpu foreign = new BackgroundCpu(SystemClock.INSTANCE, own);
      for (int perSecond : options.numbers("rates", "1,10,100,1000,10000")) {
        run.measure(perSecond, (int) options.number("slices", 16));
      }
      out.println(Machine.describe(SystemClock.INSTANCE, cores));
      out.println(foreign.describe());
      out.println();
      out.println(run.table());
      if (options.has("json")) {
        out.println(JsonLine.of(run.json(foreign.share())));
      }
    }
  }

  @Override
  public void close() {
    asking.close();
    servers.forEach(ChildProcess::close);
  }

  private void warmUp(double seconds) throws IOException {
    for (String server : SERVERS) {
      slice(server, WARM_UP_PER_SECOND, Math.max(1, (long) (seconds * WARM_UP_PER_SECOND)));
    }
  }

  private void measure(int perSecond, int slices) throws IOException {
    Map<String, List<Latencies>> byServer = new LinkedHashMap<>();
    seen.put(perSecond, byServer);
    long requests = Math.max(1, (long) (SLICE_SECONDS * perSecond));
    for (int i = 0; i < slices; i++) {
      for (int j = 0; j < SERVERS.size(); j++) {
        // A B C, then C B A.
        String server = SERVERS.get(i % 2 == 0 ? j : SERVERS.size() - 1 - j);
        byServer
            .computeIfAbsent(server, none -> new ArrayList<>())
            .add(slice(server, perSecond, requests));
      }
    }
  }

  private Latencies slice(String server, int perSecond, long requests) throws IOException {
    Fields command = PollingProcess.slice(server, perSecond, requests);
    Duration takes = Duration.ofNanos((requests + 1) * TimeUnit.SECONDS.toNanos(1) / perSecond);
    return Latencies.decode(asking.ask(command, takes.plus(PATIENCE)).text("latencies"));
  }

  private MarkdownTable table() {
    MarkdownTable table =
        new MarkdownTable(
            "begins/s",
            "requests to each",
            "echo p50, p99 us",
            "begin p50, p99 us",
            "ratio of p50",
            "by slices",
            "echo again by slices (control)");
    seen.forEach(
        (perSecond, byServer) -> {
          Latencies echo = merged(byServer, ECHO);
          Latencies manager = merged(byServer, MANAGER);
          double ratio = manager.percentileMicros(MEDIAN) / echo.percentileMicros(MEDIAN);
          table.add(
              Integer.toString(perSecond),
              Long.toString(manager.count()),
              percentiles(echo),
              percentiles(manager),
              String.format(Locale.ROOT, "%.2f", ratio),
              ratios(byServer, MANAGER).format("%.2f"),
              ratios(byServer, ECHO_AGAIN).format("%.2f"));
        });
    return table;
  }

  private Map<String, Object> json(double foreignShare) {
    Map<String, Object> rates = new LinkedHashMap<>();
    seen.forEach(
        (perSecond, byServer) -> {
          Map<String, Object> figures = new LinkedHashMap<>();
          for (String server : SERVERS) {
            Latencies all = merged(byServer, server);
            figures.put(
                server,
                Map.of(
                    "requests", all.count(),
                    "p50Micros", all.percentileMicros(MEDIAN),
                    "p99Micros", all.percentileMicros(TAIL)));
          }
          figures.put("ratio", ratios(byServer, MANAGER).toList());
          figures.put("control", ratios(byServer, ECHO_AGAIN).toList());
          rates.put("rate" + perSecond, figures);
        });
    return Map.of("benchmark", "tm-vs-echo", "foreignShare", foreignShare, "figures", rates);
  }

  private static Quartiles ratios(Map<String, List<Latencies>> byServer, String server) {
    List<Latencies> echoes = byServer.getOrDefault(ECHO, List.of());
    List<Latencies> others = byServer.getOrDefault(server, List.of());
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < echoes.size(); i++) {
      ratios.add(others.get(i).percentileMicros(MEDIAN) / echoes.get(i).percentileMicros(MEDIAN));
    }
    return Quartiles.of(ratios);
  }

  private static Latencies merged(Map<String, List<Latencies>> byServer, String server) {
    Latencies merged = new Latencies();
    byServer.getOrDefault(server, List.of()).forEach(merged::add);
    return merged;
  }

  private static String percentiles(Latencies latencies) {
    return String.format(
        Locale.ROOT,
        "%.1f, %.1f",
        latencies.percentileMicros(MEDIAN),
        latencies.percentileMicros(TAIL));
  }

  private static ChildProcess.Program program(String name, Class<?> main, List<String> arguments) {
    String classPath = System.getProperty("java.class.path");
    return new ChildProcess.Program(name, classPath, main.getName(), HEAP_MEGABYTES, arguments);
  }
}
