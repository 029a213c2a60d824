package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.backup.RestoreCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Time limits of HBase's client while no server responds. */
class ConnectionOptionsTest {

  private static final String OPERATION = "hbase.client.operation.timeout";
  private static final String META = "hbase.client.meta.operation.timeout";
  private static final String RETRIES = "hbase.client.retries.number";
  private static final int PERSONS = 30_000;

  @TempDir private Path folder;

  private final ConnectionOptions options = new ConnectionOptions();

  @Test
  void aPersonDoesNotWaitLong() {
    assertThat(configuration(options).getInt(OPERATION, 0)).isEqualTo(PERSONS);
    assertThat(configuration(options).getInt(META, 0)).isEqualTo(PERSONS);
    assertThat(configuration(options).getInt("zookeeper.recovery.retry", 0)).isEqualTo(2);
  }

  @Test
  void whatTheAdministratorHasWrittenCounts() throws IOException {
    options.config = site().toFile();
    assertThat(configuration(options).getInt(OPERATION, 0)).isEqualTo(600_000);
    assertThat(configuration(options).getInt(META, 0)).isEqualTo(PERSONS);

    options.settings.put(OPERATION, "5000");
    assertThat(configuration(options).getInt(OPERATION, 0)).isEqualTo(5_000);
  }

  @Test
  void aRestoreWaitsUntilARegionServerIsReplaced() throws IOException {
    ConnectionOptions patient = new RestoreCommand().options.connection;
    int millis = (int) Duration.ofMinutes(20).toMillis();
    assertThat(configuration(patient).getInt(OPERATION, 0)).isEqualTo(millis);
    assertThat(configuration(patient).getInt(META, 0)).isEqualTo(millis);
    assertThat(configuration(patient).getInt(RETRIES, 0)).isEqualTo(100);

    patient.config = site().toFile();
    assertThat(configuration(patient).getInt(OPERATION, 0)).isEqualTo(600_000);
  }

  @Test
  void hadoopLogsInByKerberosIfHBaseDoes() {
    options.settings.put("hbase.security.authentication", "kerberos");
    System.setProperty("java.security.krb5.realm", "REALM");
    System.setProperty("java.security.krb5.kdc", "nowhere");
    try {
      assertThat(configuration(options).get("hadoop.security.authentication"))
          .isEqualTo("kerberos");
      assertThat(UserGroupInformation.isSecurityEnabled()).isTrue();
    } finally {
      System.clearProperty("java.security.krb5.realm");
      System.clearProperty("java.security.krb5.kdc");
      UserGroupInformation.setConfiguration(new Configuration());
    }
  }

  private Path site() throws IOException {
    return Files.writeString(
        folder.resolve("site.xml"),
        "<configuration><property><name>"
            + OPERATION
            + "</name><value>600000</value></property></configuration>");
  }

  private static Configuration configuration(ConnectionOptions options) {
    options.zooKeeper = "nowhere:1"; // and not a cluster that happens to run on this machine
    return options.configuration(new PrintWriter(new StringWriter()));
  }
}
