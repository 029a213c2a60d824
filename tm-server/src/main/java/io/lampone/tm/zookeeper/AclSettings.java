package io.lampone.tm.zookeeper;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Permission to change the znodes.
 *
 * @param mode how ZooKeeper identifies the transaction managers
 * @param digestFile user and password, for {@link Mode#DIGEST}
 * @param saslPrincipals their ids, for {@link Mode#SASL}; empty for that of a znode's creator
 */
public record AclSettings(Mode mode, Optional<Path> digestFile, List<String> saslPrincipals) {

  /** Identification of the transaction managers at ZooKeeper. */
  public enum Mode {
    /** The first usable one of the other modes. */
    AUTO,
    /** By SASL. */
    SASL,
    /** By user and password. */
    DIGEST,
    /** None: any client of ZooKeeper may change the znodes. */
    OPEN
  }

  /** Default settings. */
  public static final AclSettings DEFAULT = new AclSettings(Mode.AUTO, Optional.empty(), List.of());

  public AclSettings {
    saslPrincipals = List.copyOf(saslPrincipals);
  }
}
