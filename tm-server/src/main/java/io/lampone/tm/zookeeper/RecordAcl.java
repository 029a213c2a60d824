package io.lampone.tm.zookeeper;

import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.tm.zookeeper.AclSettings.Mode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import javax.security.auth.login.Configuration;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/**
 * The ACL of the znodes: full access for transaction managers, read access for everyone, because
 * clients and region servers need the content and none of it is secret.
 */
public final class RecordAcl implements ACLProvider {

  private static final String DIGEST = "digest";
  private static final String SASL = "sasl";
  private static final int LOWEST_PASSWORD_LENGTH = 16;

  /** Property that names the JAAS section of ZooKeeper's client. */
  private static final String LOGIN_SECTION_PROPERTY = "zookeeper.sasl.clientconfig";

  private static final String LOGIN_SECTION = "Client";

  private final List<ACL> entries;

  /** User and password if this process authenticates by them. */
  private final Optional<byte[]> digest;

  private RecordAcl(List<ACL> entries, Optional<byte[]> digest) {
    // Not List.copyOf: ZooKeeper calls contains(null), which throws there.
    this.entries = Collections.unmodifiableList(new ArrayList<>(entries));
    this.digest = digest;
  }

  /**
   * Returns the ACL of these settings.
   *
   * @param loopback whether this process listens on loopback only
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if its content is invalid, or the znodes would be open to
   *     every client and that is not configured
   */
  public static RecordAcl of(AclSettings settings, boolean loopback) throws IOException {
    return switch (settings.mode()) {
      case OPEN -> new RecordAcl(Ids.OPEN_ACL_UNSAFE, Optional.empty());
      case SASL -> sasl(settings.saslPrincipals());
      case DIGEST -> digest(settings.digestFile().orElseThrow());
      case AUTO -> {
        if (logsIn()) {
          yield sasl(settings.saslPrincipals());
        }
        if (settings.digestFile().isPresent()) {
          yield digest(settings.digestFile().get());
        }
        if (!loopback) {
          throw new IllegalArgumentException(
              "every client that reaches ZooKeeper could change the record of the transaction"
                  + " managers: name a file with user:password in lampone.tm.zookeeper.acl.digest.file,"
                  + " let this process log in by SASL, or write down lampone.tm.zookeeper.acl=open");
        }
        yield of(new AclSettings(Mode.OPEN, Optional.empty(), List.of()), true);
      }
    };
  }

  /** Makes a ZooKeeper client authenticate, and create znodes with this ACL. */
  public CuratorFrameworkFactory.Builder applyTo(CuratorFrameworkFactory.Builder builder) {
    digest.ifPresent(proof -> builder.authorization(DIGEST, proof));
    return builder.aclProvider(this);
  }

  @Override
  public List<ACL> getDefaultAcl() {
    return entries;
  }

  @Override
  public List<ACL> getAclForPath(String path) {
    return entries;
  }

  private static RecordAcl sasl(List<String> principals) {
    List<ACL> entries = new ArrayList<>(Ids.READ_ACL_UNSAFE);
    if (principals.isEmpty()) {
      entries.addAll(Ids.CREATOR_ALL_ACL);
    }
    principals.forEach(name -> entries.add(new ACL(Perms.ALL, new Id(SASL, name))));
    return new RecordAcl(entries, Optional.empty());
  }

  private static RecordAcl digest(Path file) throws IOException {
    SecurityFiles.requirePrivate(file);
    String text = new String(SecurityFiles.read(file), StandardCharsets.UTF_8).strip();
    int colon = text.indexOf(':');
    if (colon < 1
        || text.length() - colon - 1 < LOWEST_PASSWORD_LENGTH
        || text.lines().count() != 1) {
      throw new IllegalArgumentException(
          "not one line user:password with a password of "
              + LOWEST_PASSWORD_LENGTH
              + " characters or more, file="
              + file.toAbsolutePath());
    }
    // All use the same user, so each may change the znodes of the others.
    List<ACL> entries = new ArrayList<>(Ids.READ_ACL_UNSAFE);
    entries.addAll(Ids.CREATOR_ALL_ACL);
    return new RecordAcl(entries, Optional.of(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static boolean logsIn() {
    String section = System.getProperty(LOGIN_SECTION_PROPERTY, LOGIN_SECTION);
    try {
      return Configuration.getConfiguration().getAppConfigurationEntry(section) != null;
    } catch (SecurityException e) {
      return false; // no such configuration
    }
  }
}
