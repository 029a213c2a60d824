package io.lampone.torture;

import io.lampone.torture.fault.FaultKind;
import io.lampone.torture.fault.WallClocks;
import io.lampone.torture.report.LabResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The torture lab: starts it in a process of its own, inside namespaces of its own where the system
 * allows them, and listens to it. When this process ends, however it ends, so does the lab with
 * everything that it has started.
 */
public final class Torture {

  private Torture() {}

  /**
   * Runs a lab.
   *
   * @param progress hears of each line that it says
   * @throws IOException if the lab fails, or the faults need what this system does not allow
   */
  public static LabResult run(LabPlan plan, Consumer<String> progress)
      throws IOException, InterruptedException {
    requireEmpty(plan.folder());
    LabLogs.prepare(plan.folder());
    String problem = Isolation.problem();
    List<String> java = java(plan, problem.isEmpty());
    List<String> command = java;
    if (problem.isEmpty()) {
      command = Isolation.command(java);
    } else {
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
    if (plan.faults().stream().anyMatch(FaultKind::needsWallClocks)
        && WallClocks.library().isEmpty()) {
      throw new IOException(
          "wall clocks can only be changed with libfaketime: install it (apt-get install faketime),"
              + " or leave the fault 'clock' out");
    }
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(LabLogs.ofLab(plan.folder()).toFile());
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    Process lab = builder.start();
    try {
      return listen(lab, plan.folder(), progress);
    } finally {
      lab.destroyForcibly();
    }
  }

  private static LabResult listen(Process lab, Path folder, Consumer<String> progress)
      throws IOException, InterruptedException {
    Optional<LabResult> result = Optional.empty();
    String last = "";
    try (BufferedReader lines = lab.inputReader(StandardCharsets.UTF_8)) {
      String line = lines.readLine();
      while (line != null) {
        if (line.startsWith(TortureMain.RESULT)) {
          result = Optional.of(LabResult.parse(line.substring(TortureMain.RESULT.length())));
        } else {
          progress.accept(line);
          last = line;
        }
        line = lines.readLine();
      }
    }
    int code = lab.waitFor();
    if (result.isEmpty()) {
      throw new IOException(
          "the lab has failed, code="
              + code
              + " after='"
              + last.strip()
              + "' folder="
              + folder
              + "; "
              + LabLogs.last(LabLogs.ofLab(folder)));
    }
    return result.get();
  }

  private static List<String> java(LabPlan plan, boolean isolated) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
    command.add(LabLogs.javaOption(plan.folder()));
    command.add(TortureMain.class.getName());
    command.add(TortureMain.ISOLATED + "=" + isolated);
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
