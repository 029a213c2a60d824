package io.lampone.client.token;

import io.lampone.hbase.HadoopTokens;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.trust.DelegationToken;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.jspecify.annotations.Nullable;

/** Public part of a delegation token, in Hadoop's form. Hadoop creates the instances. */
public final class LamponeTokenIdentifier extends TokenIdentifier {

  private @Nullable DelegationToken token;

  /** Creates an empty identifier, to be filled by {@link #readFields}. */
  public LamponeTokenIdentifier() {}

  @Override
  public Text getKind() {
    return HadoopTokens.KIND;
  }

  @Override
  public @Nullable UserGroupInformation getUser() {
    return token == null ? null : UserGroupInformation.createRemoteUser(token.owner());
  }

  /** Returns the latest time to which the token can be renewed, in milliseconds since 1970. */
  public long latestMillis() {
    return token == null ? 0 : token.latestMillis();
  }

  @Override
  public void write(DataOutput out) throws IOException {
    if (token == null) {
      throw new IOException("an identifier that was not read identifies nothing");
    }
    out.write(token.encode().toArray());
  }

  /** Reads {@code in} to its end; it must be a DataInputStream, as Hadoop passes. */
  @Override
  public void readFields(DataInput in) throws IOException {
    if (!(in instanceof DataInputStream stream)) {
      throw new IOException("not a stream that ends with the identifier");
    }
    try {
      token = DelegationToken.decode(Bytes.wrap(stream.readNBytes(DelegationToken.MAX_BYTES + 1)));
    } catch (MalformedException e) {
      throw new IOException("not a delegation token of a transaction manager", e);
    }
  }

  /** Returns owner and number; Hadoop logs this text. */
  @Override
  public String toString() {
    return token == null ? "none" : token.description();
  }
}
