package io.lampone.tm.zookeeper;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Access to the znodes for changes.
 *
 * @param mode how ZooKeeper identifies the transaction managers
 * @param digestFile user and password, for {@link Mode#DIGEST}
 * @param saslPrincipals their ids, for {@link Mode#SASL}; empty for that of a znode's creator
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

  /** Settings unless configured otherwise. */
  public static final AclSettings DEFAULT = new AclSettings(Mode.AUTO, Optional.empty(), List.of());

  public AclSettings {
    saslPrincipals = List.copyOf(saslPrincipals);
  }
}
