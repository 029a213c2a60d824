package io.lampone.faultlab;

import io.lampone.cluster.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * All on one network, without namespaces: then Linux ends each process together with the thread of
 * the lab that has started it. Elsewhere a lab that is killed leaves them behind.
 */
final class LoopbackHosts implements Hosts {

  private static final Path MORTALITY = Path.of("/usr/bin/setpriv");

  @Override
  public String address(String member) {
    return LOOPBACK;
  }

  @Override
  public List<String> prefix(String member) {
    return Files.isExecutable(MORTALITY)
        ? List.of(MORTALITY.toString(), "--pdeathsig", "KILL")
        : List.of();
  }
}
