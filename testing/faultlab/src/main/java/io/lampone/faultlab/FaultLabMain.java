package io.lampone.faultlab;

import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.fault.LibcFaults;
import io.lampone.faultlab.report.LabResult;
import io.lampone.faultlab.work.WorkloadKind;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The fault lab, in a separate process, inside separate namespaces where the system allows them:
 * runs one round after the other on one cluster. When this process ends, however it ends, so does
 * the lab with everything that it has started.
 */
public final class FaultLabMain implements AutoCloseable {

  /** System property with the jars of module phoenix/sql. */
  static final String SQL_JARS = "lampone.sql.jars";

  private static final long END_SECONDS = 60;

  private final Process lab;
  private final BufferedReader lines;
  private final Path folder;
  private final Consumer<String> progress;

  private FaultLabMain(Process lab, Path folder, Consumer<String> progress) {
    this.lab = lab;
    this.lines = lab.inputReader(StandardCharsets.UTF_8);
    this.folder = folder;
    this.progress = progress;
  }

  /**
   * Runs a lab for one round.
   *
   * @param progress receives each line of output
   * @throws IOException if the lab fails, or the faults need what this system does not allow
   */
  public static LabResult run(LabPlan plan, Consumer<String> progress)
      throws IOException, InterruptedException {
    try (FaultLabMain torture = start(plan, progress)) {
      return torture.round(plan);
    }
  }

  /**
   * Starts a lab.
   *
   * @param plan its folder, which must be empty, holds what outlives a round; its faults are all
   *     that may happen
   * @param progress receives each line of output
   * @throws IOException if the faults need what this system does not allow
   */
  static FaultLabMain start(LabPlan plan, Consumer<String> progress)
      throws IOException, InterruptedException {
    requireEmpty(plan.folder());
    String problem = NamespaceIsolation.problem();
    requirePossible(plan, problem, progress);
    LabLogs.prepare(plan.folder());
    List<String> java = java(plan, problem.isEmpty());
    ProcessBuilder builder =
        new ProcessBuilder(problem.isEmpty() ? NamespaceIsolation.command(java) : java)
            .redirectError(LabLogs.ofLab(plan.folder()).toFile());
    builder.environment().put("CLASSPATH", classPath(plan.workloads()));
    return new FaultLabMain(builder.start(), plan.folder(), progress);
  }

  /** Returns the class path of the lab's processes; Apache Phoenix is on it only for SQL. */
  static String classPath(List<WorkloadKind> workloads) throws IOException {
    String own = System.getProperty("java.class.path");
    if (!workloads.contains(WorkloadKind.SQL)) {
      return own;
    }
    String phoenix = System.getProperty(SQL_JARS, "");
    if (phoenix.isEmpty()) {
      throw new IOException(
          "the workload sql needs Apache Phoenix: unpack lampone-sql-VERSION-bin.tar.gz beside the"
              + " lab, and use bin/lampone");
    }
    return own + File.pathSeparator + phoenix;
  }

  private static void requirePossible(LabPlan plan, String problem, Consumer<String> progress)
      throws IOException, InterruptedException {
    if (!problem.isEmpty()) {
      progress.accept("no namespaces of our own here, run as root for them: " + problem);
      List<FaultKind> impossible = plan.faults().stream().filter(FaultKind::needsNetwork).toList();
      if (!impossible.isEmpty()) {
        throw new IOException(
            "these faults need namespaces, which take root: leave them out, or run as root, faults="
                + impossible
                + " problem='"
                + problem
                + "'");
      }
    }
    List<FaultKind> spoiling = plan.faults().stream().filter(FaultKind::needsSabotage).toList();
    String missing = spoiling.isEmpty() ? "" : LibcFaults.problem();
    if (!missing.isEmpty()) {
      throw new IOException(
          "these faults need a library that is compiled when the lab starts: leave them out, or"
              + " install what is missing, faults="
              + spoiling
              + " missing='"
              + missing
              + "'");
    }
  }

  /**
   * One round.
   *
   * @param plan its folder must not hold another round
   * @throws IOException if the lab fails: then it has ended
   */
  LabResult round(LabPlan plan) throws IOException, InterruptedException {
    try {
      String arguments = String.join(TortureMain.SEPARATOR, plan.arguments()) + "\n";
      lab.getOutputStream().write(arguments.getBytes(StandardCharsets.UTF_8));
      lab.getOutputStream().flush();
    } catch (IOException e) {
      progress.accept("the lab has ended: " + e.getMessage());
    }
    String last = "";
    String line = lines.readLine();
    while (line != null) {
      if (line.startsWith(TortureMain.RESULT)) {
        return LabResult.parse(line.substring(TortureMain.RESULT.length()));
      }
      progress.accept(line);
      last = line;
      line = lines.readLine();
    }
    throw new IOException(
        "the lab has failed, code="
            + lab.waitFor()
            + " after='"
            + last.strip()
            + "' folder="
            + folder
            + "; "
            + LabLogs.last(LabLogs.ofLab(folder)));
  }

  /** All processes that it has started have ended when it returns. */
  @Override
  public void close() throws InterruptedException {
    try {
      lab.getOutputStream().close();
    } catch (IOException e) {
      progress.accept("the lab has ended already: " + e.getMessage());
    }
    boolean ended = lab.waitFor(END_SECONDS, TimeUnit.SECONDS);
    if (!ended) {
      lab.destroyForcibly();
      lab.waitFor();
    }
  }

  private static List<String> java(LabPlan plan, boolean isolated) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
    command.add(LabLogs.javaOption(plan.folder()));
    command.add(TortureMain.class.getName());
    command.add(TortureMain.ISOLATED + isolated);
    command.addAll(plan.arguments());
    return command;
  }

  private static void requireEmpty(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> entries = Files.list(folder)) {
        if (entries.findAny().isPresent()) {
          throw new IOException("the folder is not empty; choose another one, folder=" + folder);
        }
      }
    }
  }
}
