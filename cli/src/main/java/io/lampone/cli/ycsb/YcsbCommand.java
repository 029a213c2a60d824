package io.lampone.cli.ycsb;

import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Failure;
import io.lampone.cli.Logging;
import io.lampone.cli.ScratchFolder;
import io.lampone.cli.StopSignal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code lampone ycsb ...}: YCSB in a separate process, because it ends the JVM in which it runs.
 * The binding is referenced by name only: no module depends on it.
 */
@Command(
    name = "ycsb",
    description = "Measures with YCSB: loads a table, and runs a workload on it.")
public final class YcsbCommand implements Runnable {

  private static final int MAX_THREADS = 10_000;
  private static final String CLIENT = "site.ycsb.Client";
  private static final String BINDING = "io.lampone.ycsb.LamponeDb";
  private static final String EXIT_CODES =
      "Exit codes: 0 every operation was made and succeeded, aborts of a run are no failures;"
          + " 1 something failed, or was not made; 2 wrong options.";
  private static final String WORKLOAD_HELP =
      "A file of properties, workloads/workloada for example; may be repeated.";
  private static final String PROPERTY_HELP =
      "One property: lampone.mode (regular, fastpath, plain), table, columnfamily, recordcount,"
          + " operationcount, ...; may be repeated. docs/benchmarks/ycsb.md lists them.";

  private static final String JSON_HELP =
      "Standard output is one line of JSON; what YCSB prints goes to the other one.";

  /** Options of a load or run. */
  static final class Phase {
    @Option(names = "-P", paramLabel = "FILE", required = true, description = WORKLOAD_HELP)
    List<Path> workloads = new ArrayList<>();

    @Option(names = "-p", paramLabel = "NAME=VALUE", description = PROPERTY_HELP)
    @Nullable List<String> properties;

    @Option(names = "--threads", defaultValue = "1", description = "Threads. Default: 1.")
    int threads = 1;

    @Option(names = "--json", description = JSON_HELP)
    boolean json;
  }

  @Spec CommandSpec spec;

  private static final int STATUS_SECONDS = 2;

  /** Time in which YCSB may end by itself after a signal. */
  private static final int PATIENCE_SECONDS = 10;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to do: load or run");
  }

  @Command(
      name = "load",
      description = "Fills the table, and makes it if there is none.",
      footer = {"", EXIT_CODES})
  int load(@Mixin ConnectionOptions connection, @Mixin Phase phase)
      throws IOException, InterruptedException {
    List<String> options = options("-load", phase);
    long count = YcsbCount.ofLoad(phase.workloads, phase.properties);
    return ycsb(connection, options, YcsbReport.ofLoad(count), phase.json);
  }

  @Command(
      name = "run",
      description = "Runs a workload on a table that has been loaded.",
      footer = {"", EXIT_CODES})
  int runWorkload(@Mixin ConnectionOptions connection, @Mixin Phase phase)
      throws IOException, InterruptedException {
    List<String> options = options("-t", phase);
    long count = YcsbCount.ofRun(phase.workloads, phase.properties);
    return ycsb(connection, options, YcsbReport.ofRun(count), phase.json);
  }

  private List<String> options(String name, Phase phase) {
    if (phase.threads < 1 || phase.threads > MAX_THREADS) {
      throw new ParameterException(
          spec.commandLine(), "--threads must be in 1.." + MAX_THREADS + ", not " + phase.threads);
    }
    List<String> options =
        new ArrayList<>(List.of(name, "-threads", Integer.toString(phase.threads)));
    // Operations, rate and time left, on standard error.
    options.addAll(List.of("-s", "-p", "status.interval=" + STATUS_SECONDS));
    for (Path workload : phase.workloads) {
      if (!Files.isReadable(workload)) {
        throw new ParameterException(
            spec.commandLine(),
            "no readable workload: " + workload + "; the folder workloads has YCSB's own");
      }
      options.addAll(List.of("-P", workload.toString()));
    }
    if (phase.properties != null) {
      phase.properties.forEach(property -> options.addAll(List.of("-p", property)));
    }
    return options;
  }

  private int ycsb(
      ConnectionOptions connection, List<String> options, YcsbReport report, boolean json)
      throws IOException, InterruptedException {
    Logging.toStandardError(false);
    PrintWriter errors = spec.commandLine().getErr();
    PrintWriter out = spec.commandLine().getOut();
    // The folder is deleted before a signal ends the process.
    try (StopSignal stop = StopSignal.forThisThread();
        ScratchFolder folder = ScratchFolder.create("lampone-ycsb")) {
      Path site = folder.path().resolve("site.xml");
      Configuration configuration = connection.reachable(errors);
      try (OutputStream file = Files.newOutputStream(site)) {
        configuration.writeXml(file);
      }
      List<String> command = command(site, System.getenv("LAMPONE_JAVA_OPTS"));
      command.addAll(options);
      execute(command, report, json ? errors : out, stop);
      if (json) {
        out.println(report.toJson());
        out.flush();
      }
      return judge(errors, report);
    }
  }

  /**
   * Returns the command line that runs YCSB.
   *
   * @param jvmOptions those that count for every command, words; later ones win
   */
  public static List<String> command(Path site, @Nullable String jvmOptions) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "--add-opens=java.base/java.nio=ALL-UNNAMED"));
    List<String> further =
        jvmOptions == null || jvmOptions.isBlank()
            ? List.of()
            : List.of(jvmOptions.strip().split("\\s+"));
    // Java refuses to start with two collectors.
    if (further.stream().noneMatch(option -> option.matches("-XX:\\+Use\\w*GC"))) {
      command.add("-XX:+UseSerialGC");
    }
    command.addAll(further);
    command.addAll(List.of(CLIENT, "-db", BINDING, "-p", "lampone.site=" + site));
    return command;
  }

  /** Runs YCSB to its end, or to the signal that ends this process. */
  static void execute(List<String> command, YcsbReport report, PrintWriter out, StopSignal stop)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.INHERIT);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    Process process = builder.start();
    // Its output is read until its end: an interrupt would not end that.
    Thread ending = new Thread(() -> endAt(stop, process), "lampone-ycsb-end");
    ending.setDaemon(true);
    ending.start();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        out.println(line);
        report.accept(line);
      }
    } finally {
      ending.interrupt();
      process.destroy();
    }
    out.flush();
    process.waitFor();
  }

  private static void endAt(StopSignal stop, Process process) {
    try {
      stop.await();
      // By its handle, which leaves its output open.
      process.toHandle().destroy();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.toHandle().destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // its output has ended
    }
  }

  private static int judge(PrintWriter errors, YcsbReport report) {
    if (report.succeeded() == 0) {
      Failure.print(
          errors,
          new CommandException("no operation has succeeded", "YCSB's output above says why"),
          false);
      return 1;
    }
    if (!report.failures().isEmpty()) {
      Failure.print(
          errors, new CommandException("operations have failed: " + report.failures(), ""), false);
      return 1;
    }
    return 0;
  }
}
