package io.lampone.client.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.hbase.HadoopTickets;
import io.lampone.hbase.HadoopTokens;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.ClientToken;
import io.lampone.protocol.trust.DelegationToken;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.Test;

/** Tokens in Hadoop's form; what they do at a server is shown by {@code KerberosIT}. */
final class TokenUtilTest {

  private static final long NOW = 1_800_000_000_000L;
  private static final Bytes PASSWORD = Bytes.utf8("0123456789abcdef0123456789abcdef");

  private final Configuration configuration = new Configuration(false);

  @Test
  void theServiceIsTheCluster() {
    configuration.set("hbase.zookeeper.quorum", "zk1, zk2:2182");
    configuration.set("hbase.zookeeper.property.clientPort", "2183");
    assertThat(HadoopTokens.service(configuration)).hasToString("zk1:2183,zk2:2182/lampone");
    configuration.set("lampone.zookeeper.parent", "/other");
    assertThat(HadoopTokens.service(configuration)).hasToString("zk1:2183,zk2:2182/other");
  }

  @Test
  void itSurvivesHadoopsCredentialsAndHadoopReadsItsIdentifier() throws IOException {
    Credentials credentials = new Credentials();
    credentials.addToken(new Text("alias"), hadoop("zk:1/lampone", NOW));
    DataOutputBuffer out = new DataOutputBuffer();
    credentials.writeTokenStorageToStream(out);
    Credentials read = new Credentials();
    DataInputBuffer in = new DataInputBuffer();
    in.reset(out.getData(), out.getLength());
    read.readTokenStorageStream(in);
    Token<?> token = read.getToken(new Text("alias"));
    assertThat(HadoopTokens.fromHadoop(token)).isEqualTo(token(NOW));
    LamponeTokenIdentifier identifier = (LamponeTokenIdentifier) token.decodeIdentifier();
    assertThat(identifier.getUser().getShortUserName()).isEqualTo("alice");
    assertThat(identifier.latestMillis()).isEqualTo(NOW + 2);
    assertThat(identifier.getBytes()).isEqualTo(token.getIdentifier());
    assertThat(token.isManaged()).isTrue();
    assertThat(token.toString() + HadoopTokens.fromHadoop(token)).doesNotContain(PASSWORD.toUtf8());
  }

  @Test
  void otherBytesAreRefused() {
    assertThatThrownBy(
            () ->
                new LamponeTokenIdentifier()
                    .readFields(new DataInputStream(new ByteArrayInputStream(new byte[300]))))
        .isInstanceOf(IOException.class);
    Token<LamponeTokenIdentifier> wrong =
        new Token<>(new byte[3], new byte[32], HadoopTokens.KIND, new Text("zk:1/lampone"));
    assertThatThrownBy(() -> TokenUtil.renewToken(configuration, wrong))
        .hasMessageContaining("not a delegation token");
    assertThatThrownBy(() -> TokenUtil.cancelToken(configuration, hadoop("elsewhere", NOW)))
        .hasMessageContaining("LP-401")
        .hasMessageContaining("service=elsewhere");
  }

  /**
   * The token is looked up when a connection is made, in the user of the configuration's reader.
   */
  @Test
  void aClientTakesTheNewestTokenOfItsUserForItsCluster() throws Exception {
    configuration.set("hbase.zookeeper.quorum", "zk:1");
    UserGroupInformation task = UserGroupInformation.createRemoteUser("task");
    ClientSecurity security =
        task.doAs(
            (PrivilegedExceptionAction<ClientSecurity>)
                () -> HadoopTickets.security(configuration));
    assertThat(security.tokens().get()).isEmpty();
    task.addToken(new Text("other cluster"), hadoop("zk:2/lampone", NOW + 5));
    assertThat(security.tokens().get()).isEmpty();
    task.addToken(new Text("new"), hadoop("zk:1/lampone", NOW + 1));
    task.addToken(new Text("old"), hadoop("zk:1/lampone", NOW));
    assertThat(security.tokens().get()).contains(token(NOW + 1));
    assertThat(security.withoutTokens().tokens().get()).isEmpty();
  }

  private static Token<LamponeTokenIdentifier> hadoop(String service, long issued) {
    return HadoopTokens.toHadoop(token(issued), new Text(service));
  }

  private static ClientToken token(long issued) {
    return new ClientToken(
        new DelegationToken("alice", "yarn", issued, issued + 1, issued + 2, 7), PASSWORD);
  }
}
