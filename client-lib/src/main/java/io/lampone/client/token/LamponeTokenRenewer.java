package io.lampone.client.token;

import io.lampone.hbase.HadoopTokens;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenRenewer;

/**
 * Renews and cancels delegation tokens for Hadoop, which finds this class through its service file.
 * YARN's resource manager calls it with its own ticket while a job runs.
 */
public final class LamponeTokenRenewer extends TokenRenewer {

  @Override
  public boolean handleKind(Text kind) {
    return HadoopTokens.KIND.equals(kind);
  }

  @Override
  public boolean isManaged(Token<?> token) {
    return true;
  }

  @Override
  public long renew(Token<?> token, Configuration configuration) throws IOException {
    return TokenUtil.renewToken(configuration, token);
  }

  @Override
  public void cancel(Token<?> token, Configuration configuration) throws IOException {
    TokenUtil.cancelToken(configuration, token);
  }
}
