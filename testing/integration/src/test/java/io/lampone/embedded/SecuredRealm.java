package io.lampone.embedded;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import javax.security.auth.login.Configuration;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.KdcConfigKey;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/**
 * A KDC, and this process under Kerberos: ZooKeeper's server and clients by a JAAS file, HBase by
 * its own keytab. Servers and their clients share the process, and so ZooKeeper's login.
 */
final class SecuredRealm implements AutoCloseable {

  static final String REALM = "LAMPONE.TEST";
  static final String HOST = "127.0.0.1";

  private static final List<String> PROPERTIES =
      List.of(
          "java.security.krb5.conf",
          "java.security.auth.login.config",
          "zookeeper.authProvider.1",
          "zookeeper.server.principal");

  /** ZooKeeper's login does not live with tickets of less than some minutes. */
  static final int LONG_SECONDS = 3_600;

  private final Path directory;
  private final int port;
  private final SimpleKdcServer kdc = new SimpleKdcServer();
  private final Path hbaseKeytab;

  SecuredRealm(Path directory) throws Exception {
    this.directory = Files.createDirectories(directory);
    int freePort;
    try (ServerSocket free = new ServerSocket(0)) {
      freePort = free.getLocalPort();
    }
    kdc.setKdcHost(HOST);
    kdc.setKdcRealm(REALM);
    kdc.setAllowUdp(false);
    kdc.setKdcTcpPort(freePort);
    kdc.setWorkDir(directory.toFile());
    kdc.getKdcConfig().setString(KdcConfigKey.KDC_REALM, REALM);
    kdc.getKdcConfig().setLong(KdcConfigKey.MAXIMUM_TICKET_LIFETIME, (long) LONG_SECONDS);
    kdc.getKdcConfig().setLong(KdcConfigKey.MINIMUM_TICKET_LIFETIME, 1L);
    kdc.init();
    kdc.start();
    this.port = freePort;
    writeClientConf(LONG_SECONDS);
    System.setProperty("java.security.krb5.conf", clientConf().toString());
    hbaseKeytab = keytab("hbase/" + HOST);
    Path jaas = directory.resolve("jaas.conf");
    Files.writeString(
        jaas,
        section("Server", "zookeeper/" + HOST, keytab("zookeeper/" + HOST))
            + section("Client", "hbase/" + HOST, hbaseKeytab));
    System.setProperty("java.security.auth.login.config", jaas.toString());
    System.setProperty(
        "zookeeper.authProvider.1", "org.apache.zookeeper.server.auth.SASLAuthenticationProvider");
    System.setProperty("zookeeper.server.principal", "zookeeper/" + HOST);
    Configuration.setConfiguration(null);
    org.apache.hadoop.conf.Configuration hadoop = new org.apache.hadoop.conf.Configuration();
    hadoop.set("hadoop.security.authentication", "kerberos");
    hadoop.set("hadoop.kerberos.min.seconds.before.relogin", "1");
    UserGroupInformation.setConfiguration(hadoop);
    UserGroupInformation.loginUserFromKeytab(principal("hbase/" + HOST), hbaseKeytab.toString());
  }

  /**
   * Sets the lifetime of the tickets of the next logins, including those of this process's
   * ZooKeeper clients. Java caches the configuration until a login reloads it, as this one does.
   */
  void ticketsFor(int seconds) throws IOException {
    writeClientConf(seconds);
    UserGroupInformation.loginUserFromKeytabAndReturnUGI(
        principal("hbase/" + HOST), hbaseKeytab.toString());
  }

  private void writeClientConf(int seconds) throws IOException {
    Files.writeString(
        clientConf(),
        String.join(
            "\n",
            "[libdefaults]",
            " default_realm = " + REALM,
            " udp_preference_limit = 1",
            " dns_lookup_kdc = false",
            " dns_lookup_realm = false",
            " ticket_lifetime = " + seconds + "s",
            "[realms]",
            " " + REALM + " = {",
            "  kdc = " + HOST + ":" + port,
            " }",
            ""));
  }

  private Path clientConf() {
    return directory.resolve("client.conf");
  }

  static String principal(String name) {
    return name + "@" + REALM;
  }

  /** A new principal and its keytab. */
  Path keytab(String name) throws KrbException, IOException {
    kdc.createPrincipal(principal(name), "password of " + name);
    Path file = directory.resolve(name.replace('/', '-') + ".keytab");
    kdc.exportPrincipal(principal(name), file.toFile());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  /** Settings of HBase's servers and clients. */
  Map<String, String> settings() {
    String authorizer = AccessController.class.getName();
    String server = principal("hbase/" + HOST);
    return Map.ofEntries(
        Map.entry("hadoop.security.authentication", "kerberos"),
        Map.entry("hbase.security.authentication", "kerberos"),
        Map.entry("hbase.security.authorization", "true"),
        Map.entry("hbase.superuser", "hbase"),
        Map.entry("hbase.master.kerberos.principal", server),
        Map.entry("hbase.regionserver.kerberos.principal", server),
        Map.entry("hbase.master.keytab.file", hbaseKeytab.toString()),
        Map.entry("hbase.regionserver.keytab.file", hbaseKeytab.toString()),
        Map.entry("hbase.coprocessor.master.classes", authorizer),
        Map.entry("hbase.coprocessor.region.classes", authorizer),
        Map.entry("hbase.coprocessor.regionserver.classes", authorizer),
        Map.entry("lampone.client.manager.kerberos", "true"));
  }

  @Override
  public void close() throws KrbException {
    PROPERTIES.forEach(System::clearProperty);
    Configuration.setConfiguration(null);
    UserGroupInformation.reset();
    kdc.stop();
  }

  private static String section(String name, String principal, Path keytab) {
    return name
        + " {\n com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true"
        + " storeKey=true useTicketCache=false keyTab=\""
        + keytab
        + "\" principal=\""
        + principal(principal)
        + "\";\n};\n";
  }
}
