package io.lampone.faultlab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Namespaces of the system for a whole lab: processes, networks, mounts. When its first process
 * ends, by whatever means, the system ends all the others and removes networks and mounts: no lab
 * has to clean up after another one.
 */
final class NamespaceIsolation {

  /** Ends with its parent, together with all processes inside. */
  private static final List<String> ENTER =
      List.of(
          "setpriv",
          "--pdeathsig",
          "KILL",
          "unshare",
          "--pid",
          "--fork",
          "--kill-child",
          "--mount-proc",
          "--net",
          "--mount",
          "--propagation",
          "private");

  /** Separate folders for files of commands and libraries, and a bridge as a trial. */
  private static final String PREPARE =
      "mount -t tmpfs none /dev/shm && mount -t tmpfs none /run && mkdir -p /run/netns && ip link add trial0 type bridge"
          + " && ip link del trial0";

  private static final long BOUND_SECONDS = 20;

  private NamespaceIsolation() {}

  /** Why there is none here; empty if there is. */
  static String problem() throws InterruptedException {
    try {
      Process trial =
          new ProcessBuilder(command(List.of("true"))).redirectErrorStream(true).start();
      trial.getOutputStream().close();
      String said = new String(trial.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!trial.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)) {
        trial.destroyForcibly();
        return "the trial did not end";
      }
      return trial.exitValue() == 0 ? "" : said.strip().lines().findFirst().orElse("refused");
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** {@code command} as the first process of new namespaces. */
  static List<String> command(List<String> command) {
    List<String> all = new ArrayList<>(ENTER);
    all.addAll(List.of("sh", "-c", PREPARE + " && exec \"$@\"", "lampone-torture"));
    all.addAll(command);
    return all;
  }
}
