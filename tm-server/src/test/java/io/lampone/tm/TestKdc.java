package io.lampone.tm;

import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.KdcConfigKey;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/** A KDC in this process, and the krb5.conf that this process reads. */
final class TestKdc implements AutoCloseable {

  static final String REALM = "LAMPONE.TEST";

  private final Path directory;
  private final SimpleKdcServer kdc;

  /**
   * @param ticketSeconds how long tickets are valid
   */
  TestKdc(Path directory, int ticketSeconds) throws Exception {
    this.directory = directory;
    kdc = new SimpleKdcServer();
    kdc.setKdcHost("127.0.0.1");
    kdc.setKdcRealm(REALM);
    kdc.setAllowUdp(false);
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    kdc.setKdcTcpPort(port);
    kdc.setWorkDir(Files.createDirectories(directory).toFile());
    kdc.getKdcConfig().setString(KdcConfigKey.KDC_REALM, REALM);
    kdc.getKdcConfig().setLong(KdcConfigKey.MAXIMUM_TICKET_LIFETIME, (long) ticketSeconds);
    kdc.getKdcConfig().setLong(KdcConfigKey.MINIMUM_TICKET_LIFETIME, 1L);
    kdc.init();
    kdc.start();
    // No name is looked up: what is advertised in tests is an address.
    Path conf = directory.resolve("client.conf");
    Files.writeString(
        conf,
        "[libdefaults]\n default_realm = "
            + REALM
            + "\n udp_preference_limit = 1\n dns_lookup_kdc = false\n dns_lookup_realm = false\n"
            + " ticket_lifetime = "
            + ticketSeconds
            + "s\n kdc_timeout = 2000\n max_retries = 1\n[realms]\n "
            + REALM
            + " = {\n  kdc = 127.0.0.1:"
            + port
            + "\n }\n");
    System.setProperty("java.security.krb5.conf", conf.toString());
  }

  /** A new principal, {@code name@REALM}, and its keytab. */
  Path keytab(String name) throws Exception {
    kdc.createPrincipal(name + "@" + REALM, "password of " + name);
    Path file = directory.resolve(name.replace('/', '-') + ".keytab");
    kdc.exportPrincipal(name + "@" + REALM, file.toFile());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  @Override
  public void close() throws KrbException {
    kdc.stop();
    System.clearProperty("java.security.krb5.conf");
  }
}
