package io.lampone.torture;

import io.lampone.cluster.Hosts;
import java.util.List;

/**
 * All on one network, without namespaces: then the system ends each process together with the
 * thread of the lab that has started it.
 */
final class MortalHosts implements Hosts {

  @Override
  public String address(String member) {
    return LOOPBACK;
  }

  @Override
  public List<String> prefix(String member) {
    return List.of("setpriv", "--pdeathsig", "KILL");
  }
}
