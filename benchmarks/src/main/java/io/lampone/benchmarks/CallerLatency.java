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
 * Benchmark of the time that callers of Lampone's client wait for a timestamp under load, in units
 * of the round trips of the frames that carry their requests: the cost of batching in the client.
 */
public final class CallerLatency {

  private static final int HEAP_MEGABYTES = 512;
  private static final int SLICES = 5;
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final double MEDIAN = 50;

  private CallerLatency() {}

  /** Runs the benchmark. Options: see docs/evidence/benchmarks/tm-figures.md. */
  public static void main(String[] arguments) throws Exception {
    run(arguments, System.out);
  }

  static void run(String[] arguments, PrintStream out) throws IOException {
    Options options =
        new Options(arguments, Set.of("callers", "seconds", "warm-up"), Set.of("json"));
    Cores cores = Cores.ofThisMachine();
    MarkdownTable table =
        new MarkdownTable(
            "callers",
            "begins/s",
            "mean wait us",
            "mean round trip us",
            "wait in round trips, by slices",
            "wait p50 us",
            "round trip p50 us");
    Map<String, Object> figures = new LinkedHashMap<>();
    try (ChildProcess server =
            ChildProcess.startServer(program(MemoryManagerProcess.class, List.of()), cores);
        ChildProcess callers =
            ChildProcess.startLoad(
                program(CallerLatencyProcess.class, List.of(server.ready().text("port"))), cores)) {
      long nanos = (long) (options.number("seconds", 2) * TimeUnit.SECONDS.toNanos(1));
      long warmUpNanos = (long) (options.number("warm-up", 4) * TimeUnit.SECONDS.toNanos(1));
      BackgroundCpu foreign = new BackgroundCpu(SystemClock.INSTANCE, List.of(server, callers));
      for (int count : options.numbers("callers", "64")) {
        slice(callers, count, Duration.ofNanos(warmUpNanos));
        List<Fields> slices = new ArrayList<>();
        for (int i = 0; i < SLICES; i++) {
          slices.add(slice(callers, count, Duration.ofNanos(nanos)));
        }
        add(table, figures, count, slices, nanos);
      }
      out.println(Machine.describe(SystemClock.INSTANCE, cores));
      out.println(foreign.describe());
    }
    out.println();
    out.println(table);
    if (options.has("json")) {
      out.println(JsonLine.of(Map.of("benchmark", "callers-wait", "figures", figures)));
    }
  }

  private static void add(
      MarkdownTable table,
      Map<String, Object> figures,
      int callers,
      List<Fields> slices,
      long sliceNanos) {
    Latencies waits = merged(slices, "waits");
    Latencies trips = merged(slices, "roundTrips");
    double perSecond =
        waits.count() * (double) TimeUnit.SECONDS.toNanos(1) / (sliceNanos * slices.size());
    Quartiles ratio =
        Quartiles.of(
            slices.stream()
                .map(
                    slice ->
                        Latencies.decode(slice.text("waits")).meanMicros()
                            / Latencies.decode(slice.text("roundTrips")).meanMicros())
                .toList());
    table.add(
        Integer.toString(callers),
        String.format(Locale.ROOT, "%.0f", perSecond),
        format(waits.meanMicros()),
        format(trips.meanMicros()),
        ratio.format("%.2f"),
        format(waits.percentileMicros(MEDIAN)),
        format(trips.percentileMicros(MEDIAN)));
    figures.put(
        "callers" + callers,
        Map.of(
            "begins", waits.count(),
            "frames", trips.count(),
            "perSecond", perSecond,
            "meanWaitMicros", waits.meanMicros(),
            "meanRoundTripMicros", trips.meanMicros(),
            "ratio", ratio.toList()));
  }

  private static Fields slice(ChildProcess callers, int count, Duration duration)
      throws IOException {
    return callers.ask(CallerLatencyProcess.wait(count, duration), duration.plus(PATIENCE));
  }

  private static Latencies merged(List<Fields> slices, String name) {
    Latencies merged = new Latencies();
    slices.forEach(slice -> merged.add(Latencies.decode(slice.text(name))));
    return merged;
  }

  private static String format(double figure) {
    return String.format(Locale.ROOT, "%.1f", figure);
  }

  private static ChildProcess.Program program(Class<?> main, List<String> arguments) {
    return new ChildProcess.Program(
        main.getSimpleName(),
        System.getProperty("java.class.path"),
        main.getName(),
        HEAP_MEGABYTES,
        arguments);
  }
}
