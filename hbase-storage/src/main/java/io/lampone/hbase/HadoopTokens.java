package io.lampone.hbase;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.connect.ClientToken;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.wire.SharedSecret;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;

/**
 * Delegation tokens of a transaction manager among Hadoop's credentials. The service of a token is
 * the cluster: HBase's quorum as {@code host:port} separated by commas, followed by the znode of
 * the transaction managers.
 */
public final class HadoopTokens {

  /** Kind of these tokens. */
  public static final Text KIND = new Text("LAMPONE_TM");

  /** Property that names the znode of the transaction managers. */
  private static final String ZOOKEEPER_PARENT = "lampone.zookeeper.parent";

  private HadoopTokens() {}

  /** Returns the service of the cluster's tokens. */
  public static Text service(Configuration configuration) {
    return new Text(
        zookeeperQuorum(configuration)
            + configuration.getTrimmed(ZOOKEEPER_PARENT, ManagerRecord.DEFAULT_PARENT));
  }

  /** Returns HBase's quorum as {@code host:port}, separated by commas. */
  public static String zookeeperQuorum(Configuration configuration) {
    int port =
        configuration.getInt(
            HConstants.ZOOKEEPER_CLIENT_PORT, HConstants.DEFAULT_ZOOKEEPER_CLIENT_PORT);
    String hosts = configuration.getTrimmed(HConstants.ZOOKEEPER_QUORUM, HConstants.LOCALHOST);
    return Arrays.stream(hosts.split(","))
        .map(String::trim)
        .filter(host -> !host.isEmpty())
        .map(host -> host.matches(".*:\\d+") ? host : host + ":" + port)
        .collect(Collectors.joining(","));
  }

  /** Returns the token in Hadoop's form. */
  public static <T extends TokenIdentifier> Token<T> toHadoop(ClientToken token, Text service) {
    return new Token<>(
        token.identifier().encode().toArray(), token.password().toArray(), KIND, service);
  }

  /**
   * Returns the token from Hadoop's form.
   *
   * @throws IOException if it is not a transaction manager's token
   */
  public static ClientToken fromHadoop(Token<?> token) throws IOException {
    try {
      return new ClientToken(
          DelegationToken.decode(Bytes.wrap(token.getIdentifier())),
          Bytes.wrap(token.getPassword()));
    } catch (MalformedException e) {
      throw new IOException("not a delegation token of a transaction manager", e);
    }
  }

  /** Returns the user's token for that cluster; empty if there is none. */
  static Optional<ClientToken> find(UserGroupInformation user, Text service) {
    Optional<ClientToken> found = Optional.empty();
    for (Token<?> token : user.getTokens()) {
      if (token.getKind().equals(KIND)
          && token.getService().equals(service)
          && token.getPassword().length >= SharedSecret.LOWEST_BYTES) {
        try {
          ClientToken read = fromHadoop(token);
          // More than one if they were added under several aliases: the newest counts.
          if (found.isEmpty()
              || found.get().identifier().issuedMillis() < read.identifier().issuedMillis()) {
            found = Optional.of(read);
          }
        } catch (IOException e) {
          throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
        }
      }
    }
    return found;
  }
}
