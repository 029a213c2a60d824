package io.lampone.client.token;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.hbase.FailureTranslator;
import io.lampone.hbase.HadoopTickets;
import io.lampone.hbase.HadoopTokens;
import io.lampone.protocol.connect.ClientToken;
import io.lampone.tmclient.ClientProperties;
import io.lampone.tmclient.TokenClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.ZooKeeperAddressSource;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;

/**
 * Delegation tokens for jobs, whose tasks have neither a ticket nor a secret. The program that
 * submits a job obtains a token with its own credentials and adds it to those of the job, next to
 * HBase's token; a client in a task uses it without further settings.
 *
 * <pre>{@code
 * org.apache.hadoop.hbase.mapreduce.TableMapReduceUtil.initCredentials(job); // HBase's own
 * io.lampone.client.token.TokenUtil.obtainToken(job.getConfiguration(), "yarn", job.getCredentials());
 * }</pre>
 *
 * <p>The transaction managers need a cluster key. Every method throws {@link LamponeException} if
 * the transaction manager refuses or does not answer; the message contains a remedy.
 */
public final class TokenUtil {

  private TokenUtil() {}

  /**
   * Obtains a token for the current user.
   *
   * @param renewer short name of the principal of YARN's resource manager ({@code yarn} for {@code
   *     yarn/host@REALM}); empty for none
   */
  public static Token<LamponeTokenIdentifier> obtainToken(
      Configuration configuration, String renewer) throws IOException {
    Text service = HadoopTokens.service(configuration);
    return HadoopTokens.toHadoop(
        ask(configuration, service, client -> client.obtain(renewer)), service);
  }

  /** Obtains a token for the current user and adds it to a job's credentials. */
  public static void obtainToken(
      Configuration configuration, String renewer, Credentials credentials) throws IOException {
    Token<LamponeTokenIdentifier> token = obtainToken(configuration, renewer);
    credentials.addToken(token.getService(), token);
  }

  /** Obtains a token for the current user and adds it to {@code user}, replacing an old one. */
  public static void obtainToken(
      Configuration configuration, String renewer, UserGroupInformation user) throws IOException {
    Token<LamponeTokenIdentifier> token = obtainToken(configuration, renewer);
    user.addToken(token.getService(), token);
  }

  /**
   * Renews a token as its renewer; returns its new expiry in milliseconds since 1970. The cluster
   * is that of the token; the security settings are those of {@code configuration}.
   */
  public static long renewToken(Configuration configuration, Token<?> token) throws IOException {
    ClientToken read = HadoopTokens.fromHadoop(token);
    return ask(configuration, token.getService(), client -> client.renew(read));
  }

  /** Cancels a token as its owner or renewer. */
  public static void cancelToken(Configuration configuration, Token<?> token) throws IOException {
    ClientToken read = HadoopTokens.fromHadoop(token);
    ask(configuration, token.getService(), client -> client.cancel(read).thenApply(done -> true));
  }

  private static <T> T ask(
      Configuration configuration,
      Text service,
      Function<TokenClient, CompletableFuture<T>> request)
      throws IOException {
    String cluster = service.toString();
    int slash = cluster.indexOf('/');
    if (slash < 1) {
      throw new LamponeException(
          Code.BAD_REQUEST, 0, "not the service of a transaction manager, service=" + cluster);
    }
    TransactionManagerClientConfig settings;
    try {
      settings =
          ClientProperties.read(configuration::getTrimmed)
              .security(HadoopTickets.security(configuration).withoutTokens())
              .build();
    } catch (IllegalArgumentException e) {
      throw new LamponeException(Code.BAD_REQUEST, 0, String.valueOf(e.getMessage()), e);
    }
    try (ZooKeeperAddressSource source =
            ZooKeeperAddressSource.connect(cluster.substring(0, slash), cluster.substring(slash));
        TokenClient client = new TokenClient(settings, source)) {
      return request.apply(client).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted").initCause(e);
    } catch (ExecutionException e) {
      throw FailureTranslator.translate(e, 0);
    }
  }
}
