package io.lampone.coprocessor;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessControlClient;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission;

/** A cluster on which HBase checks permissions; the user of this process may do everything. */
final class GuardedCluster {

  private GuardedCluster() {}

  /**
   * Starts one.
   *
   * @param regionCoprocessors of every region, in their order, the authorizer among them
   */
  static TinyCluster start(String regionCoprocessors) throws Exception {
    String authorizer = AccessController.class.getName();
    return new TinyCluster(
        10,
        Map.of(
            "hbase.security.authorization", "true",
            "hbase.coprocessor.master.classes", authorizer,
            "hbase.coprocessor.regionserver.classes", authorizer,
            "hbase.coprocessor.region.classes", regionCoprocessors,
            "hbase.superuser", User.getCurrent().getShortName()));
  }

  /** A connection of another user. */
  static Connection connectionOf(TinyCluster cluster, String user) throws IOException {
    return ConnectionFactory.createConnection(
        cluster.settings(), User.createUserForTesting(cluster.settings(), user, new String[0]));
  }

  /** Grants on a table, or on a family of it, or on a column. */
  static void grant(
      TinyCluster cluster,
      TableName table,
      String user,
      byte[] family,
      byte[] qualifier,
      Permission.Action... actions)
      throws IOException {
    try {
      AccessControlClient.grant(cluster.connection(), table, user, family, qualifier, actions);
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  /** Whether HBase's authorizer, or what stands in its place, has said no. */
  static boolean isDenied(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof AccessDeniedException
          || String.valueOf(cause.getMessage()).contains(AccessDeniedException.class.getName())) {
        return true;
      }
    }
    return false;
  }
}
