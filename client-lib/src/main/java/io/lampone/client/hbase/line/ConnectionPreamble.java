package io.lampone.client.hbase.line;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.codec.KeyValueCodec;
import org.apache.hadoop.hbase.ipc.RpcClient;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.UserProvider;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ClientService;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.ConnectionHeader;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.UserInformation;
import org.apache.hadoop.security.UserGroupInformation;

/** Preamble of an HBase client on a connection without authentication. */
final class ConnectionPreamble {

  /** Code of the method without authentication. */
  private static final byte SIMPLE = 80;

  private static final String CLIENT = "hbase.rpc.client.impl";
  private static final String ORDINARY_CLIENT = "org.apache.hadoop.hbase.ipc.NettyRpcClient";
  private static final String TLS = "hbase.client.netty.tls.enabled";
  private static final String ENCRYPTION = "hbase.rpc.crypto.encryption.aes.enabled";
  private static final String COMPRESSION = "hbase.client.rpc.compressor";
  private static final String CODEC = KeyValueCodec.class.getCanonicalName();

  private ConnectionPreamble() {}

  /**
   * Returns the preamble of the user of HBase's client; empty if more is needed: authentication,
   * encryption, compression, or a connection other than HBase's ordinary ones.
   */
  static Optional<byte[]> of(Configuration configuration) throws IOException {
    UserProvider users = UserProvider.instantiate(configuration);
    boolean plain =
        !users.isHBaseSecurityEnabled()
            && !configuration.getBoolean(TLS, false)
            && !configuration.getBoolean(ENCRYPTION, false)
            && configuration.getTrimmed(COMPRESSION, "").isEmpty()
            && configuration.getTrimmed(CLIENT, ORDINARY_CLIENT).equals(ORDINARY_CLIENT)
            && codec(configuration).equals(CODEC);
    return plain ? Optional.of(encode(header(users.getCurrent()))) : Optional.empty();
  }

  private static String codec(Configuration configuration) {
    return configuration.getTrimmed(
        HConstants.RPC_CODEC_CONF_KEY,
        configuration.getTrimmed(RpcClient.DEFAULT_CODEC_CLASS, CODEC));
  }

  private static ConnectionHeader header(User user) {
    UserGroupInformation who = user.getUGI();
    UserInformation.Builder name = UserInformation.newBuilder().setEffectiveUser(who.getUserName());
    if (who.getRealUser() != null) {
      name.setRealUser(who.getRealUser().getUserName());
    }
    return ConnectionHeader.newBuilder()
        .setServiceName(ClientService.getDescriptor().getName())
        .setUserInfo(name)
        .setCellBlockCodecClass(CODEC)
        .setVersionInfo(ProtobufUtil.getVersionInfo())
        .build();
  }

  private static byte[] encode(ConnectionHeader header) {
    byte[] body = header.toByteArray();
    return ByteBuffer.allocate(HConstants.RPC_HEADER.length + 2 + Integer.BYTES + body.length)
        .put(HConstants.RPC_HEADER)
        .put(HConstants.RPC_CURRENT_VERSION)
        .put(SIMPLE)
        .putInt(body.length)
        .put(body)
        .array();
  }
}
