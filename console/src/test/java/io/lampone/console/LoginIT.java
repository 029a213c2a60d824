package io.lampone.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.manager.ManagerAccess;
import io.lampone.cli.manager.ManagerOperations;
import io.lampone.embedded.EmbeddedHBase;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.SecuritySettings;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a transaction manager with principals says of the names and secrets shown to the console.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoginIT {

  @TempDir private Path folder;

  @Test
  void thePrimaryJudgesNameSecretAndRole() throws Exception {
    Path principals =
        Files.writeString(
            folder.resolve("principals"),
            "root client,administrator * the-secret-of-the-root\n"
                + "shop client * the-secret-of-the-shop\n");
    Files.setPosixFilePermissions(principals, PosixFilePermissions.fromString("rw-------"));
    try (EmbeddedHBase hbase =
        EmbeddedHBase.start(EmbeddedHBaseConfig.builder(folder.resolve("data")).build())) {
      ConnectionOptions connection = new ConnectionOptions();
      connection.zooKeeper = hbase.zooKeeperConnectString();
      try (ManagerAccess access =
              ManagerAccess.open(connection, new PrintWriter(Writer.nullWriter()));
          ManagerOperations operations = ManagerOperations.open(access)) {
        try (TransactionManagerServer manager = manager(hbase, principals)) {
          manager.whenPrimary().get(60, TimeUnit.SECONDS);
          assertThat(ask(operations, "root", "the-secret-of-the-root")).isTrue();
          assertThat(ask(operations, "root", "the-secret-of-the-rood")).isFalse();
          assertThat(ask(operations, "shop", "the-secret-of-the-root")).isFalse();
          assertThat(ask(operations, "shop", "the-secret-of-the-shop")).as("a client").isFalse();
          assertThat(ask(operations, "other", "the-secret-of-the-root")).isFalse();
        }
        assertThatThrownBy(() -> ask(operations, "root", "the-secret-of-the-root"))
            .isInstanceOf(CommandException.class)
            .hasMessageContaining("no primary");
        try (TransactionManagerServer open = manager(hbase, null)) {
          open.whenPrimary().get(60, TimeUnit.SECONDS);
          assertThat(ask(operations, "root", "the-secret-of-the-root"))
              .as("a manager that cannot check the secret")
              .isFalse();
        }
      }
    }
  }

  private static boolean ask(ManagerOperations operations, String name, String secret)
      throws Exception {
    return operations.isAdministrator(new Identity(name, ""), new SharedSecret(Bytes.utf8(secret)));
  }

  private static TransactionManagerServer manager(EmbeddedHBase hbase, @Nullable Path principals)
      throws Exception {
    TransactionManagerConfig.Builder config =
        TransactionManagerConfig.builder()
            .bindHost("127.0.0.1")
            .bindPort(0)
            .zookeeperQuorum(hbase.zooKeeperConnectString());
    if (principals != null) {
      config.security(
          new SecuritySettings(
              Mode.SECRET,
              Optional.of(principals),
              Optional.empty(),
              Optional.empty(),
              Optional.empty()));
    }
    return TransactionManagerServer.start(config.build(), new MetricRegistry());
  }
}
