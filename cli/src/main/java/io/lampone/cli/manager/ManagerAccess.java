package io.lampone.cli.manager;

import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.SiteFile;
import io.lampone.hbase.HadoopTickets;
import io.lampone.hbase.HadoopTokens;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.Member;
import io.lampone.tmclient.ClientProperties;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.PrimaryAddress;
import io.lampone.tmclient.discovery.ZooKeeperAddressSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;

/** ZooKeeper's information on the transaction managers, for commands that call them. */
public final class ManagerAccess implements AutoCloseable {

  /** Name of the property that holds the parent znode. */
  private static final String ZOOKEEPER_PARENT = "lampone.zookeeper.parent";

  private static final long TIMEOUT_SECONDS = 15;
  private static final String RECORD = "the transaction manager's record";

  /** Codes that mean that ZooKeeper did not respond. */
  private static final Set<Code> SILENT =
      Set.of(Code.CONNECTIONLOSS, Code.OPERATIONTIMEOUT, Code.SESSIONEXPIRED);

  private static final Set<Code> NO_ACCESS =
      Set.of(Code.NOAUTH, Code.AUTHFAILED, Code.SESSIONCLOSEDREQUIRESASLAUTH);

  /**
   * Default time limit of a command's handshake. An application connects again after a shorter one;
   * a command has one attempt, which a paused or overloaded manager must not fail.
   */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private static final String WHERE = "--zookeeper HOST:PORT or --config FILE say where it is";

  private final TransactionManagerClientConfig config;
  private final ZooKeeperAddressSource source;

  private ManagerAccess(TransactionManagerClientConfig config, ZooKeeperAddressSource source) {
    this.config = config;
    this.source = source;
  }

  /**
   * Opens access to the transaction managers of the configured cluster.
   *
   * @param notes destination for the name of the cluster found when no option names one
   * @throws CommandException if a setting is invalid or unknown
   */
  public static ManagerAccess open(ConnectionOptions connection, PrintWriter notes) {
    Configuration configuration = connection.configuration(notes);
    List<String> unknown = SiteFile.unknownToClients(configuration);
    if (!unknown.isEmpty()) {
      throw new CommandException(
          "wrong configuration: " + String.join("; ", unknown),
          "'lampone config page' lists what there is");
    }
    configuration.setIfUnset(
        ClientProperties.PREFIX + "connect.timeout", CONNECT_TIMEOUT.toSeconds() + "s");
    TransactionManagerClientConfig config;
    try {
      config =
          ClientProperties.read(configuration::getTrimmed)
              .security(HadoopTickets.security(configuration))
              .build();
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          String.valueOf(e.getMessage()), "the settings are described in docs/client.md", e);
    }
    return new ManagerAccess(
        config, ZooKeeperAddressSource.connect(quorum(configuration), parent(configuration)));
  }

  public TransactionManagerClientConfig config() {
    return config;
  }

  /** Returns the credentials of the configuration. */
  public ClientSecurity security() {
    return config.security();
  }

  public ZooKeeperAddressSource source() {
    return source;
  }

  /** Returns the record; empty if no transaction manager has ever run. */
  public Optional<ManagerRecord> record() throws IOException, InterruptedException {
    return await(source.record(), RECORD);
  }

  /** Returns the live transaction managers. */
  List<Member> members() throws IOException, InterruptedException {
    return await(source.members(), "the list of transaction managers");
  }

  /**
   * Returns the address of the primary.
   *
   * @throws CommandException if there is none
   */
  public PrimaryAddress primary() throws IOException, InterruptedException {
    return await(source.find(), RECORD)
        .orElseThrow(
            () ->
                new CommandException(
                    "there is no primary transaction manager at the moment, " + source,
                    "start one ('lampone tm run'), or look which are there ('lampone tm status')"));
  }

  /**
   * Parses an address entered by the user.
   *
   * @throws CommandException if it is not an address
   */
  public static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1 || !text.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new CommandException("not an address: '" + text + "'", "write HOST:PORT");
    }
    int port = Integer.parseInt(text.substring(colon + 1));
    if (port < 1 || port > 65_535) {
      throw new CommandException("no such port: " + port, "write HOST:PORT");
    }
    return InetSocketAddress.createUnresolved(text.substring(0, colon), port);
  }

  /** Resolves the host name. */
  public static InetSocketAddress resolved(InetSocketAddress address) {
    return address.isUnresolved()
        ? new InetSocketAddress(address.getHostString(), address.getPort())
        : address;
  }

  @Override
  public void close() {
    source.close();
  }

  private <T> T await(CompletableFuture<T> answer, String what)
      throws IOException, InterruptedException {
    try {
      return answer.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw silent(e);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      Optional<Code> code = code(cause);
      if (code.filter(SILENT::contains).isPresent()) {
        throw silent(e);
      }
      throw new CommandException(
          what + " cannot be read, " + source + " cause=" + cause.getMessage(),
          advice(cause, code),
          e);
    }
  }

  private CommandException silent(Exception cause) {
    return new CommandException("ZooKeeper does not answer, " + source, WHERE, cause);
  }

  /** Returns ZooKeeper's answer, or the lack of one; empty if it is not involved. */
  private static Optional<Code> code(Throwable failure) {
    return failure.getCause() instanceof KeeperException answer
        ? Optional.of(answer.code())
        : Optional.empty();
  }

  private static String advice(Throwable failure, Optional<Code> code) {
    if (failure instanceof MalformedException) {
      return "another version of Lampone wrote it, or another program: use the lampone command of the"
          + " version that runs there, or see lampone.zookeeper.parent";
    }
    return code.filter(NO_ACCESS::contains).isPresent()
        ? "may this user read it? look at the rights of the znode in ZooKeeper"
        : "is lampone.zookeeper.parent the path of a znode? --debug shows the details";
  }

  /** Returns the parent znode of the transaction managers. */
  public static String parent(Configuration configuration) {
    return configuration.getTrimmed(ZOOKEEPER_PARENT, ManagerRecord.DEFAULT_PARENT);
  }

  /** Returns HBase's quorum as {@code host:port}, separated by commas. */
  public static String quorum(Configuration configuration) {
    return HadoopTokens.zookeeperQuorum(configuration);
  }
}
