package io.lampone.faultlab;

import io.lampone.faultlab.work.WorkloadKind;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The class path of the processes of a lab: Apache Phoenix is on it only if SQL is asked for. */
final class SqlJars {

  /** System property that names a list of jars, those of module phoenix/sql. */
  static final String PROPERTY = "lampone.sql.jars";

  private static final String OURS = "lampone-phoenix-";

  private SqlJars() {}

  /**
   * Returns the class path for a plan.
   *
   * @param own class path of this process
   * @param list file of jars; empty if there is none
   * @throws IOException if jars are needed and there is no list
   */
  static String classPath(LabPlan plan, String own, String list) throws IOException {
    if (!plan.workloads().contains(WorkloadKind.SQL)) {
      return own;
    }
    List<String> jars = new ArrayList<>(List.of(own.split(File.pathSeparator, -1)));
    Set<String> names = new HashSet<>();
    jars.forEach(jar -> names.add(name(jar)));
    if (names.stream().anyMatch(name -> name.startsWith(OURS))) {
      return own;
    }
    Path file = Path.of(list);
    if (list.isEmpty() || !Files.isReadable(file)) {
      throw new IOException(
          "the workload sql needs Apache Phoenix: unpack lampone-sql-VERSION-bin.tar.gz where the"
              + " lab is, or build module phoenix/sql, list='"
              + list
              + "'");
    }
    // An unpacked list names its jars from the folder above its own.
    Path root = file.resolve("../..").normalize();
    for (String jar : Files.readString(file).strip().split(File.pathSeparator, -1)) {
      if (names.add(name(jar))) {
        jars.add(root.resolve(jar).toString());
      }
    }
    return String.join(File.pathSeparator, jars);
  }

  private static String name(String jar) {
    return String.valueOf(Path.of(jar).getFileName());
  }
}
