package io.lampone.hbase;

import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.KerberosCredentials;
import io.lampone.protocol.connect.SecurityProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Kerberos tickets of a Hadoop login: that of a region server, or of an application that uses it
 * for HBase. Hadoop renews them.
 */
public final class HadoopTickets implements KerberosCredentials {

  private final UserGroupInformation user;

  private HadoopTickets(UserGroupInformation user) {
    this.user = user;
  }

  /**
   * Reads the {@link SecurityProperties}. The tickets are those of the current Hadoop user unless a
   * principal is configured, or Hadoop's security is off. A delegation token for the cluster that
   * this user has when a connection is made takes precedence.
   *
   * @throws IllegalArgumentException if a property has no usable value
   * @throws UncheckedIOException if Hadoop has no user
   */
  public static ClientSecurity security(Configuration configuration) {
    ClientSecurity security = SecurityProperties.read(configuration::getTrimmed);
    try {
      UserGroupInformation user = UserGroupInformation.getCurrentUser();
      Text service = HadoopTokens.service(configuration);
      security = security.withTokens(() -> HadoopTokens.find(user, service));
      if (security.kerberos().isEmpty()
          || !SecurityProperties.KERBEROS_PRINCIPAL.read(configuration::getTrimmed).isEmpty()
          || !UserGroupInformation.isSecurityEnabled()) {
        return security;
      }
      return security.withKerberos(
          security.kerberos().get().withCredentials(new HadoopTickets(user)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public <T> T runWith(PrivilegedExceptionAction<T> action) throws Exception {
    user.checkTGTAndReloginFromKeytab();
    try {
      return user.doAs(action);
    } catch (UndeclaredThrowableException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}
