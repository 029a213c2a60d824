package io.lampone.benchmarks.omid;

import io.lampone.benchmarks.BackgroundCpu;
import io.lampone.benchmarks.ChildProcess;
import io.lampone.benchmarks.Cores;
import io.lampone.benchmarks.LoadPhase;
import io.lampone.benchmarks.Machine;
import io.lampone.benchmarks.MeasuredServer;
import io.lampone.benchmarks.Options;
import io.lampone.benchmarks.report.JsonLine;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Comparison of Lampone's transaction manager and Apache Omid's timestamp oracle on one machine in
 * one run: slices of a few seconds in the order A B C C B A, so that other work of the machine
 * affects all of them. Lampone is included twice: the difference of the two is chance.
 */
public final class ManagerVersusOmid implements AutoCloseable {

  /** The class path of Lampone's processes; the one of this process if it is not set. */
  static final String LAMPONE_CLASS_PATH = "lampone.benchmarks.classpath";

  private static final String OWN_CLASS_PATH = System.getProperty("java.class.path");

  private final Cores cores;
  private final int heapMegabytes;
  private final List<MeasuredServer> sides = new ArrayList<>();

  private ManagerVersusOmid(Cores cores, int heapMegabytes) {
    this.cores = cores;
    this.heapMegabytes = heapMegabytes;
  }

  /** Runs the comparison. Options: see docs/evidence/benchmarks/tm-figures.md. */
  public static void main(String[] arguments) throws Exception {
    run(arguments, System.out);
  }

  static void run(String[] arguments, PrintStream out) throws Exception {
    Options options =
        new Options(
            arguments,
            Set.of("seconds", "warm-up", "rounds", "under-way", "rates", "heap"),
            Set.of("json", "spinning", "one-omid"));
    List<LoadPhase> phases = new ArrayList<>();
    options.numbers("under-way", "256,2048").forEach(n -> phases.add(new LoadPhase.Saturation(n)));
    options.numbers("rates", "100,1000,10000").forEach(n -> phases.add(new LoadPhase.Rate(n)));
    Cores cores = Cores.ofThisMachine();
    try (ManagerVersusOmid run = new ManagerVersusOmid(cores, (int) options.number("heap", 1024))) {
      run.start(setups(options));
      run.warmUp(phases, duration(options.number("warm-up", 6)));
      int rounds = (int) options.number("rounds", 1);
      BackgroundCpu foreign = new BackgroundCpu(SystemClock.INSTANCE, run.processes());
      run.measure(phases, duration(options.number("seconds", 1.2)), rounds);
      OmidReport report = new OmidReport(run.sides, phases);
      out.println(Machine.describe(SystemClock.INSTANCE, cores));
      out.println(foreign.describe());
      out.println();
      out.print(report.markdown());
      if (options.has("json")) {
        out.println();
        out.println(JsonLine.of(report.json(foreign.share())));
      }
    }
  }

  @Override
  public void close() {
    sides.forEach(MeasuredServer::close);
  }

  /** Chooses the set-ups; the spinning one uses a whole core; the fastest one is measured alone. */
  private static Set<OmidSetup> setups(Options options) {
    if (options.has("one-omid")) {
      return EnumSet.of(OmidSetup.LOW_LATENCY);
    }
    return options.has("spinning")
        ? EnumSet.allOf(OmidSetup.class)
        : EnumSet.complementOf(EnumSet.of(OmidSetup.LOW_LATENCY_SPINNING));
  }

  private void start(Set<OmidSetup> setups) throws IOException {
    sides.add(lampone(OmidReport.LAMPONE, ConflictLevel.CELL));
    sides.add(lampone(OmidReport.LAMPONE_ROW, ConflictLevel.ROW));
    for (OmidSetup setup : setups) {
      sides.add(omid(setup));
    }
    sides.add(lampone(OmidReport.LAMPONE_AGAIN, ConflictLevel.CELL));
  }

  private MeasuredServer lampone(String title, ConflictLevel level) throws IOException {
    String classPath = System.getProperty(LAMPONE_CLASS_PATH, OWN_CLASS_PATH);
    return MeasuredServer.lampone(title, level, classPath, heapMegabytes, cores);
  }

  private MeasuredServer omid(OmidSetup setup) throws IOException {
    ChildProcess server =
        ChildProcess.startServer(program(setup, OmidServerProcess.class, setup.name()), cores);
    try {
      String port = server.ready().text("port");
      ChildProcess load =
          ChildProcess.startLoad(program(setup, OmidLoadProcess.class, port), cores);
      return new MeasuredServer(setup.title(), server, load, true);
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private ChildProcess.Program program(OmidSetup setup, Class<?> main, String argument) {
    return new ChildProcess.Program(
        setup.title(), OWN_CLASS_PATH, main.getName(), heapMegabytes, List.of(argument));
  }

  private List<ChildProcess> processes() {
    return sides.stream().flatMap(side -> side.processes().stream()).toList();
  }

  private void warmUp(List<LoadPhase> phases, Duration duration) throws IOException {
    for (MeasuredServer side : sides) {
      side.warmUp(phases.get(0), duration.dividedBy(2));
      for (LoadPhase phase : phases) {
        side.warmUp(phase, duration.dividedBy(2L * phases.size()));
      }
    }
  }

  private void measure(List<LoadPhase> phases, Duration duration, int rounds) throws IOException {
    List<MeasuredServer> backwards = new ArrayList<>(sides);
    Collections.reverse(backwards);
    for (int round = 0; round < rounds; round++) {
      for (LoadPhase phase : phases) {
        for (MeasuredServer side : sides) {
          side.measure(phase, duration);
        }
        for (MeasuredServer side : backwards) {
          side.measure(phase, duration);
        }
      }
    }
  }

  private static Duration duration(double seconds) {
    return Duration.ofNanos((long) (seconds * TimeUnit.SECONDS.toNanos(1)));
  }
}
