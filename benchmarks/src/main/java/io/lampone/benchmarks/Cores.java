package io.lampone.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Pinning of processes: the server to one core, its load generators to another, so that neither
 * takes time from the other and the server has at most one core. On a machine with one core, or
 * without {@code taskset}, nothing is pinned, and the tables report it.
 *
 * @param pinned true if there are two cores
 * @param server core of the server
 * @param load core of the load generators
 */
public record Cores(boolean pinned, int server, int load) {

  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String ALLOWED = "Cpus_allowed_list:";
  private static final List<Path> TASKSET =
      List.of(Path.of("/usr/bin/taskset"), Path.of("/bin/taskset"));

  /** Chooses the first available core for the load and the last one for the server. */
  public static Cores ofThisMachine() throws IOException {
    if (!Files.isReadable(STATUS) || TASKSET.stream().noneMatch(Files::isExecutable)) {
      return new Cores(false, 0, 0);
    }
    List<Integer> allowed = new ArrayList<>();
    for (String line : Files.readAllLines(STATUS)) {
      if (line.startsWith(ALLOWED)) {
        for (String range : line.substring(ALLOWED.length()).strip().split(",", -1)) {
          for (String end : range.split("-", -1)) {
            allowed.add(Integer.parseInt(end));
          }
        }
      }
    }
    int first = allowed.get(0);
    int last = allowed.get(allowed.size() - 1);
    return new Cores(first != last, last, first);
  }

  /** Returns the prefix of a command that runs on the server's core. */
  List<String> onServerCore() {
    return prefix(server);
  }

  /** Returns the prefix of a command that runs on the core of the load. */
  List<String> onLoadCore() {
    return prefix(load);
  }

  /** Describes the pinning for the head of a table. */
  public String describe() {
    return pinned ? "server on core " + server + ", load on core " + load : "nothing pinned";
  }

  private List<String> prefix(int core) {
    return pinned ? List.of("taskset", "-c", Integer.toString(core)) : List.of();
  }
}
