package io.lampone.cluster;

import io.lampone.coprocessor.core.RegionServerSettings;
import io.lampone.protocol.connect.SecurityFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The folder of a cluster, and the files from which its processes read their settings. */
final class MemberFiles {

  private static final String MANAGER_PREFIX = "lampone.tm.";

  /** Principal of all processes and clients of a cluster whose hosts have separate addresses. */
  private static final String PRINCIPAL = "cluster";

  private static final int SECRET_BYTES = 32;

  /** Sessions end on a tick, so a tick is a small part of a session. */
  private static final int TICKS_PER_SESSION = 10;

  private static final String LOGBACK =
      """
      <configuration>
        <statusListener class="ch.qos.logback.core.status.NopStatusListener"/>
        <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%d{ISO8601} %-5level [%thread] %logger{36} %msg%n</pattern></encoder>
        </appender>
        <root level="${lampone.log.level:-INFO}"><appender-ref ref="OUT"/></root>
      </configuration>
      """;

  private final ClusterPlan plan;
  private final Collection<ClusterMember> members;

  MemberFiles(ClusterPlan plan, Collection<ClusterMember> members) {
    this.plan = plan;
    this.members = List.copyOf(members);
  }

  /** Returns the settings with which clients in other processes connect. */
  Path clientSite() {
    return plan.folder().resolve("hbase-site.xml");
  }

  Path log(ClusterMember member) {
    return plan.folder().resolve("logs").resolve(member.name() + ".log");
  }

  /** Returns the first entry on the class path of a member. */
  Path settingsFolder(ClusterMember member) {
    return plan.folder().resolve("conf").resolve(member.name());
  }

  /** Returns the arguments of the member's main class, besides those of its role. */
  List<String> arguments(ClusterMember member) {
    return switch (member.role()) {
      case ZOOKEEPER -> List.of(settingsFolder(member).resolve("zoo.cfg").toString());
      case MANAGER, VALIDATOR ->
          List.of(settingsFolder(member).resolve("tm.properties").toString());
      case MASTER, REGION_SERVER -> List.of();
    };
  }

  /** ZooKeeper's servers, {@code host:port} with commas between them. */
  String quorum() {
    return of(MemberRole.ZOOKEEPER).stream()
        .map(member -> member.host() + ":" + member.port())
        .collect(Collectors.joining(","));
  }

  /** Rewrites all files. */
  void write() {
    try {
      Files.createDirectories(plan.folder().resolve("logs"));
      if (Files.notExists(clusterKey())) {
        SecurityFiles.createClusterKey(clusterKey());
      }
      if (needsSecret()) {
        writeSecret();
      }
      Files.writeString(clientSite(), site(clientSettings()));
      for (ClusterMember member : members) {
        Path folder = Files.createDirectories(settingsFolder(member));
        Files.writeString(folder.resolve("logback.xml"), LOGBACK);
        switch (member.role()) {
          case ZOOKEEPER -> writeZooKeeper(member, folder);
          case MANAGER, VALIDATOR ->
              Files.write(folder.resolve("tm.properties"), managerLines(member));
          case MASTER, REGION_SERVER ->
              Files.writeString(folder.resolve("hbase-site.xml"), site(serverSettings(member)));
        }
      }
    } catch (IOException e) {
      throw new ClusterException(
          "the folder of the cluster cannot be written, folder=" + plan.folder(), e);
    }
  }

  /** A transaction manager that is reached from other hosts requires authentication. */
  private boolean needsSecret() throws IOException {
    for (ClusterMember member : of(MemberRole.MANAGER)) {
      if (!InetAddress.getByName(member.host()).isLoopbackAddress()) {
        return true;
      }
    }
    return false;
  }

  private Path secret() {
    return plan.folder().resolve("secret");
  }

  private Path clusterKey() {
    return plan.folder().resolve("cluster.key");
  }

  private Path principals() {
    return plan.folder().resolve("principals");
  }

  private void writeSecret() throws IOException {
    if (Files.exists(secret())) {
      return;
    }
    byte[] random = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(random);
    String text = Base64.getEncoder().encodeToString(random);
    // The secret is written last: if it exists, both files do.
    for (Map.Entry<Path, String> each :
        List.of(
            Map.entry(
                principals(),
                PRINCIPAL
                    + (" client,administrator * " + text + "\n")
                    + ClusterPlan.STRANGER
                    + (" client " + ClusterPlan.STRANGER + " " + text + "\n")),
            Map.entry(secret(), text + "\n"))) {
      Files.deleteIfExists(each.getKey());
      Files.createFile(
          each.getKey(),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(each.getKey(), each.getValue());
    }
  }

  private void writeZooKeeper(ClusterMember member, Path folder) throws IOException {
    Path data = Files.createDirectories(data(member));
    List<ClusterMember> servers = of(MemberRole.ZOOKEEPER);
    List<String> lines = new ArrayList<>();
    long tick = plan.sessionTimeout().toMillis() / TICKS_PER_SESSION;
    lines.add("tickTime=" + tick);
    lines.add("initLimit=50");
    lines.add("syncLimit=10");
    lines.add("minSessionTimeout=" + 2 * tick);
    lines.add("maxSessionTimeout=" + 100 * tick);
    lines.add("dataDir=" + data);
    lines.add("clientPort=" + member.port());
    lines.add("clientPortAddress=" + member.host());
    lines.add("maxClientCnxns=1000");
    lines.add("admin.enableServer=false");
    lines.add("4lw.commands.whitelist=ruok,srvr,mntr");
    if (servers.size() > 1) {
      for (int i = 0; i < servers.size(); i++) {
        int quorumPort = Ports.beside(servers.get(i).port(), 1);
        int electionPort = Ports.beside(servers.get(i).port(), 2);
        lines.add(
            "server."
                + (i + 1)
                + "="
                + servers.get(i).host()
                + ":"
                + quorumPort
                + ":"
                + electionPort);
      }
      Files.writeString(data.resolve("myid"), Integer.toString(servers.indexOf(member) + 1));
    }
    Files.write(folder.resolve("zoo.cfg"), lines);
  }

  private List<String> managerLines(ClusterMember member) {
    Map<String, String> properties = new TreeMap<>();
    properties.put("lampone.tm.bind.host", member.host());
    properties.put("lampone.tm.bind.port", Integer.toString(member.port()));
    properties.put("lampone.tm.advertised.host", member.host());
    if (member.role() == MemberRole.VALIDATOR) {
      properties.put("lampone.tm.validator.name", member.name());
    }
    // Beside its own port, which is free: at the default one only the first of them would start.
    properties.put("lampone.tm.http.host", member.host());
    properties.put("lampone.tm.http.port", Integer.toString(member.metricsPort()));
    properties.put("lampone.tm.zookeeper.quorum", quorum());
    properties.put("lampone.tm.security.cluster.key.file", clusterKey().toString());
    if (Files.exists(secret())) {
      properties.put("lampone.tm.security.authentication", "secret");
      properties.put("lampone.tm.security.principals.file", principals().toString());
      properties.put("lampone.tm.security.peer.principal", PRINCIPAL);
      properties.put("lampone.tm.security.peer.secret.file", secret().toString());
      properties.put("lampone.tm.zookeeper.acl", "open");
    }
    plan.settings()
        .forEach(
            (key, value) -> {
              if (key.startsWith(MANAGER_PREFIX)) {
                properties.put(key, value);
              }
            });
    return properties.entrySet().stream()
        .map(each -> each.getKey() + "=" + each.getValue())
        .toList();
  }

  private Map<String, String> clientSettings() {
    Map<String, String> settings = new TreeMap<>();
    settings.put("hbase.cluster.distributed", "true");
    settings.put("hbase.zookeeper.quorum", quorum());
    settings.put(
        "hbase.zookeeper.property.clientPort",
        Integer.toString(of(MemberRole.ZOOKEEPER).get(0).port()));
    settings.put(
        "hbase.client.registry.impl", "org.apache.hadoop.hbase.client.ZKConnectionRegistry");
    if (Files.exists(secret())) {
      settings.put("lampone.client.manager.principal", PRINCIPAL);
      settings.put("lampone.client.manager.secret.file", secret().toString());
    }
    plan.settings()
        .forEach(
            (key, value) -> {
              if (!key.startsWith(MANAGER_PREFIX)) {
                settings.put(key, value);
              }
            });
    return settings;
  }

  private Map<String, String> serverSettings(ClusterMember member) {
    Map<String, String> settings = new TreeMap<>();
    settings.put(RegionServerSettings.CLUSTER_KEY_FILE.name(), clusterKey().toString());
    settings.put("hbase.rootdir", plan.folder().resolve("hbase").toUri().toString());
    settings.put("fs.defaultFS", "file:///");
    settings.put("hbase.tmp.dir", data(member).toString());
    settings.put("hadoop.tmp.dir", data(member).toString());
    // The local file system lacks capabilities of HDFS.
    settings.put("hbase.unsafe.stream.capability.enforce", "false");
    settings.put("hbase.wal.provider", "filesystem");
    settings.put("hbase.master.hostname", member.host());
    settings.put("hbase.unsafe.regionserver.hostname", member.host());
    settings.put("hbase.master.ipc.address", member.host());
    settings.put("hbase.regionserver.ipc.address", member.host());
    boolean master = member.role() == MemberRole.MASTER;
    String port = Integer.toString(member.port());
    settings.put("hbase.master.port", master ? port : "0");
    settings.put("hbase.regionserver.port", master ? "0" : port);
    settings.put("hbase.master.info.port", "-1");
    settings.put("hbase.regionserver.info.port", "-1");
    settings.put("hbase.master.wait.on.regionservers.mintostart", "1");
    settings.put("hbase.master.wait.on.regionservers.timeout", "1500");
    settings.put("hbase.master.wait.on.regionservers.interval", "300");
    settings.put("hbase.regionserver.msginterval", "500");
    settings.put("hbase.regionserver.handler.count", "30");
    settings.put("zookeeper.session.timeout", Long.toString(plan.sessionTimeout().toMillis()));
    settings.putAll(clientSettings());
    return settings;
  }

  private Path data(ClusterMember member) {
    return plan.folder().resolve("data").resolve(member.name());
  }

  private List<ClusterMember> of(MemberRole role) {
    return members.stream().filter(member -> member.role() == role).toList();
  }

  private static String site(Map<String, String> settings) {
    StringBuilder text = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
    settings.forEach(
        (key, value) ->
            text.append("  <property><name>")
                .append(escape(key))
                .append("</name><value>")
                .append(escape(value))
                .append("</value></property>\n"));
    return text.append("</configuration>\n").toString();
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
