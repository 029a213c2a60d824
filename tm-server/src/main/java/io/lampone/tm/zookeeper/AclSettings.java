package io.lampone.tm.zookeeper;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Who may change the znodes.
 *
 * @param mode by what ZooKeeper knows the transaction managers
 * @param digestFile user and password, for {@link Mode#DIGEST}
 * @param saslPrincipals their ids, for {@link Mode#SASL}; empty for that of who makes a znode
 */
public record AclSettings(Mode mode, Optional<Path> digestFile, List<String> saslPrincipals) {

  /** By what ZooKeeper knows the transaction managers. */
  public enum Mode {
    /** By the first of the others that can be. */
    AUTO,
    /** By SASL. */
    SASL,
    /** By user and password. */
    DIGEST,
    /** By nothing: any client of ZooKeeper may change the znodes. */
    OPEN
  }

  /** What holds unless configured otherwise. */
  public static final AclSettings DEFAULT = new AclSettings(Mode.AUTO, Optional.empty(), List.of());

  public AclSettings {
    saslPrincipals = List.copyOf(saslPrincipals);
  }
}
