package io.lampone.tm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TransactionManagerMainTest {

  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
  private final Properties system = new Properties();

  @Test
  void aWrongConfigurationIsExplained() {
    system.setProperty("lampone.tm.nonsense", "1");
    assertThat(run()).isEqualTo(TransactionManagerMain.EXIT_BAD_CONFIGURATION);
    assertThat(text()).contains("unknown property").contains("name=lampone.tm.nonsense");
  }

  @Test
  void aMissingFileIsExplained() {
    assertThat(run("nowhere.properties")).isEqualTo(TransactionManagerMain.EXIT_BAD_CONFIGURATION);
    assertThat(text()).contains("nowhere.properties");
    assertThat(run("one", "two")).isEqualTo(TransactionManagerMain.EXIT_BAD_CONFIGURATION);
  }

  @Test
  void aPortThatIsTakenIsExplainedAndSystemPropertiesGoBeforeTheFile(@TempDir Path directory)
      throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      Path file = directory.resolve("tm.properties");
      Files.writeString(file, "lampone.tm.bind.host=127.0.0.1\nlampone.tm.bind.port=not-a-port\n");
      system.setProperty("lampone.tm.bind.port", Integer.toString(taken.getLocalPort()));
      system.setProperty("lampone.tm.zookeeper.quorum", "127.0.0.1:1");
      assertThat(run(file.toString())).isEqualTo(TransactionManagerMain.EXIT_NOT_STARTED);
      assertThat(text()).contains("cannot listen").contains(":" + taken.getLocalPort());
    }
  }

  @Test
  void filesOfSecurityThatCannotBeUsedAreExplained(@TempDir Path directory) throws Exception {
    TestCertificates certificates = new TestCertificates(directory).make("one").make("other");
    Path principals = directory.resolve("principals");
    Files.writeString(principals, "shop client * a-secret-that-must-not-show\n");
    Files.setPosixFilePermissions(principals, PosixFilePermissions.fromString("rw-r--r--"));
    String tls = "lampone.tm.security.tls.";
    system.setProperty("lampone.tm.bind.host", "127.0.0.1");
    system.setProperty("lampone.tm.bind.port", "0");
    system.setProperty("lampone.tm.zookeeper.quorum", "127.0.0.1:1");
    system.setProperty("lampone.tm.security.authentication", "secret");
    system.setProperty("lampone.tm.security.principals.file", principals.toString());
    assertThat(run()).isEqualTo(TransactionManagerMain.EXIT_BAD_CONFIGURATION);
    assertThat(text()).contains("chmod").contains(principals.toString());

    Files.setPosixFilePermissions(principals, PosixFilePermissions.fromString("rw-------"));
    system.setProperty(tls + "certificate.file", certificates.certificate("one").toString());
    system.setProperty(tls + "key.file", certificates.key("other").toString());
    assertThat(run()).isEqualTo(TransactionManagerMain.EXIT_BAD_CONFIGURATION);
    assertThat(text()).contains("not made for the key");

    Files.setPosixFilePermissions(
        certificates.key("other"), PosixFilePermissions.fromString("rw-rw-rw-"));
    assertThat(run()).isEqualTo(TransactionManagerMain.EXIT_BAD_CONFIGURATION);
    assertThat(text()).contains("chmod go-rwx on it, file=" + certificates.key("other"));

    system.setProperty(tls + "key.file", certificates.certificate("one").toString());
    Files.setPosixFilePermissions(
        certificates.certificate("one"), PosixFilePermissions.fromString("rw-------"));
    assertThat(run()).isEqualTo(TransactionManagerMain.EXIT_BAD_CONFIGURATION);
    assertThat(text()).contains("openssl pkcs8");

    system.setProperty(tls + "key.file", directory.resolve("nowhere.key").toString());
    assertThat(run()).isEqualTo(TransactionManagerMain.EXIT_BAD_CONFIGURATION);
    assertThat(text()).contains("nowhere.key");

    Files.writeString(principals, "shop clerk * a-secret-that-must-not-show\n");
    assertThat(run()).isEqualTo(TransactionManagerMain.EXIT_BAD_CONFIGURATION);
    assertThat(text()).contains("unknown role").contains("line=1");
    assertThat(text()).doesNotContain("must-not-show");
  }

  @Test
  void metricsAreServedOnTheAddressOfTheServerUnlessTheyHaveTheirOwn() {
    system.setProperty("lampone.tm.security.open", "true");
    assertThat(httpHost()).isEqualTo("0.0.0.0");
    system.setProperty("lampone.tm.bind.host", "127.0.0.2");
    assertThat(httpHost()).isEqualTo("127.0.0.2");
    system.setProperty("lampone.tm.http.host", "127.0.0.3");
    assertThat(httpHost()).isEqualTo("127.0.0.3");
  }

  private String httpHost() {
    return TransactionManagerMain.http(TransactionManagerConfig.fromProperties(system)).host();
  }

  private int run(String... arguments) {
    return TransactionManagerMain.run(
        arguments, system, new PrintStream(errors, true, StandardCharsets.UTF_8));
  }

  private String text() {
    return errors.toString(StandardCharsets.UTF_8);
  }
}
