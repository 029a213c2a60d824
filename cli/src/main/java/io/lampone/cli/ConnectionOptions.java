package io.lampone.cli;

import io.lampone.cli.quickstart.QuickstartOptions;
import io.lampone.cli.shell.ClientDatabase;
import io.lampone.cli.shell.Database;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Location of the cluster, the same for every command that needs one. Later ones win: {@code
 * hbase-site.xml} of the class path, of the folder of settings or {@code --config}, {@code
 * lampone-site.xml}, {@code --zookeeper}, {@code -D}.
 */
public final class ConnectionOptions {

  private static final int DEFAULT_ZOOKEEPER_PORT = 2181;
  private static final int ANSWER_TIMEOUT_MILLIS = 3_000;

  /** Default timeout of interactive commands. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Upper limit for the expiry of a server's session, the log split and the reopened regions. */
  public static final Duration UNTIL_A_SERVER_IS_REPLACED = Duration.ofMinutes(20);

  /** Retries that, at HBase's pauses of up to 20 s, exceed {@link #UNTIL_A_SERVER_IS_REPLACED}. */
  private static final int RETRIES_OF_THE_PATIENT = 100;

  private static final String KERBEROS = "kerberos";

  private static final String READABLE_OR_NAMED =
      "let the user of this command read it, or name another one: --config FILE";

  @Option(
      names = {"-z", "--zookeeper"},
      paramLabel = "HOST:PORT[,...]",
      description = "ZooKeeper of the cluster.")
  public @Nullable String zooKeeper;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "An hbase-site.xml to connect with.")
  @Nullable File config;

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = "One HBase or Lampone setting; may be repeated.")
  Map<String, String> settings = new LinkedHashMap<>();

  /** Client configuration written by the quick start. */
  Path quickstartSite = QuickstartOptions.DEFAULT_SITE;

  /** Time for which HBase's client repeats an operation, unless the settings set another. */
  public Duration patience = PATIENCE;

  /**
   * Returns the settings of the options.
   *
   * @param notes destination for the name of the cluster if no option names one
   * @throws CommandException if an option is invalid, or an existing file is unreadable
   */
  public Configuration configuration(PrintWriter notes) {
    Configuration configuration = HBaseConfiguration.create();
    Optional<Path> site = SiteFile.hbaseSite();
    if (config != null) {
      SiteFile.add(config.toPath(), configuration, "--config names an hbase-site.xml");
    } else if (site.isPresent()) {
      SiteFile.add(site.get(), configuration, READABLE_OR_NAMED);
    } else if (zooKeeper == null
        && Configuration.class.getClassLoader().getResource("hbase-site.xml") == null
        && !Files.notExists(quickstartSite, LinkOption.NOFOLLOW_LINKS)) {
      notes.println("Connecting as " + quickstartSite + " says.");
      notes.flush();
      SiteFile.add(quickstartSite, configuration, READABLE_OR_NAMED);
    }
    SiteFile.addTo(configuration);
    setPatience(configuration);
    if (zooKeeper != null) {
      setZooKeeper(configuration, zooKeeper);
    }
    settings.forEach(configuration::set);
    setKerberos(configuration);
    return configuration;
  }

  /** Lets Hadoop log in by Kerberos if HBase does: it takes only its own setting, and globally. */
  private static void setKerberos(Configuration configuration) {
    if (!configuration.get(User.HBASE_SECURITY_CONF_KEY, "").equalsIgnoreCase(KERBEROS)) {
      return;
    }
    configuration.set(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION, KERBEROS);
    try {
      UserGroupInformation.setConfiguration(configuration);
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          "the cluster wants Kerberos, which is not set up here: " + e.getMessage(),
          "name the realm in krb5.conf, and call 'kinit'",
          e);
    }
  }

  /**
   * Connects, after a check that a server listens at ZooKeeper's address.
   *
   * @throws CommandException if no server listens at ZooKeeper's address
   */
  public Database connect(PrintWriter notes) throws IOException {
    return ClientDatabase.connect(reachable(notes));
  }

  /**
   * Returns the settings, after a check that a server listens at ZooKeeper's address.
   *
   * @throws CommandException if no server listens at ZooKeeper's address
   */
  public Configuration reachable(PrintWriter notes) {
    Configuration configuration = configuration(notes);
    requireListener(configuration);
    return configuration;
  }

  /** Returns true if an option names the cluster. */
  public boolean isClusterNamed() {
    return zooKeeper != null || config != null;
  }

  /** Values of option -D, by name. */
  public Map<String, String> settings() {
    return Collections.unmodifiableMap(settings);
  }

  /**
   * Limits retries and timeouts where the settings do not: HBase's own defaults retry for many
   * minutes when the cluster is down.
   */
  private void setPatience(Configuration configuration) {
    int millis = Math.toIntExact(patience.toMillis());
    setUnlessSaid(configuration, "zookeeper.recovery.retry", 2);
    setUnlessSaid(configuration, HConstants.HBASE_CLIENT_OPERATION_TIMEOUT, millis);
    setUnlessSaid(configuration, HConstants.HBASE_CLIENT_META_OPERATION_TIMEOUT, millis);
    if (patience.compareTo(PATIENCE) > 0) {
      // The timeout or the number of retries ends an operation, whichever is reached first.
      setUnlessSaid(configuration, HConstants.HBASE_CLIENT_RETRIES_NUMBER, RETRIES_OF_THE_PATIENT);
    }
  }

  /** Sets a default, unless a configuration file other than hbase-default.xml sets the property. */
  private static void setUnlessSaid(Configuration configuration, String name, int value) {
    String[] sources = configuration.getPropertySources(name);
    if (sources == null
        || sources.length == 0
        || sources[sources.length - 1].endsWith("hbase-default.xml")) {
      configuration.setInt(name, value);
    }
  }

  private static void setZooKeeper(Configuration configuration, String text) {
    for (String server : text.split(",", -1)) {
      address(server);
    }
    configuration.set(HConstants.ZOOKEEPER_QUORUM, text);
    if (text.indexOf(',') < 0) {
      InetSocketAddress only = address(text);
      configuration.set(HConstants.ZOOKEEPER_QUORUM, only.getHostString());
      configuration.setInt(HConstants.ZOOKEEPER_CLIENT_PORT, only.getPort());
    }
    // With --zookeeper, the cluster is located through ZooKeeper.
    configuration.set(
        "hbase.client.registry.impl", "org.apache.hadoop.hbase.client.ZKConnectionRegistry");
  }

  private static InetSocketAddress address(String text) {
    try {
      URI uri = URI.create("zookeeper://" + text.strip());
      if (uri.getHost() != null && uri.getUserInfo() == null && uri.getPath().isEmpty()) {
        int port = uri.getPort() < 0 ? DEFAULT_ZOOKEEPER_PORT : uri.getPort();
        return InetSocketAddress.createUnresolved(uri.getHost(), port);
      }
    } catch (IllegalArgumentException e) {
      throw badAddress(text, e);
    }
    throw badAddress(text, null);
  }

  private static CommandException badAddress(String text, @Nullable Throwable cause) {
    String message = "not an address of ZooKeeper: '" + text + "'";
    String advice = "write HOST:PORT, several with commas between them";
    return cause == null
        ? new CommandException(message, advice)
        : new CommandException(message, advice, cause);
  }

  /**
   * Checks that a server listens at ZooKeeper's address.
   *
   * @throws CommandException if no server listens at ZooKeeper's address
   */
  public static void requireListener(Configuration configuration) {
    int defaultPort =
        configuration.getInt(HConstants.ZOOKEEPER_CLIENT_PORT, DEFAULT_ZOOKEEPER_PORT);
    String quorum = configuration.get(HConstants.ZOOKEEPER_QUORUM, "127.0.0.1");
    for (String server : quorum.split(",", -1)) {
      String text = server.strip();
      if (listens(address(text.indexOf(':') < 0 ? text + ":" + defaultPort : text))) {
        return;
      }
    }
    throw new CommandException(
        "no ZooKeeper answers at " + quorum + ", port " + defaultPort,
        "say where the cluster is: --zookeeper HOST:PORT or --config FILE;"
            + " 'lampone quickstart --keep' starts one");
  }

  private static boolean listens(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(address.getHostString(), address.getPort()), ANSWER_TIMEOUT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
