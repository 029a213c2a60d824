package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.config.Setting;
import io.lampone.protocol.connect.ClientTls;
import io.lampone.protocol.wire.Identity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClientPropertiesTest {

  @TempDir Path folder;

  @Test
  void theNamesAreThese() {
    assertThat(ClientProperties.names())
        .containsExactly(
            "lampone.client.manager.backoff.cap",
            "lampone.client.manager.connect.timeout",
            "lampone.client.manager.frames.in.flight",
            "lampone.client.manager.kerberos",
            "lampone.client.manager.kerberos.keytab.file",
            "lampone.client.manager.kerberos.principal",
            "lampone.client.manager.kerberos.service",
            "lampone.client.manager.outstanding",
            "lampone.client.manager.principal",
            "lampone.client.manager.secret.file",
            "lampone.client.manager.stall.timeout",
            "lampone.client.manager.tenant",
            "lampone.client.manager.timeout",
            "lampone.client.manager.tls",
            "lampone.client.manager.tls.authority.file",
            "lampone.client.manager.tls.certificate.file",
            "lampone.client.manager.tls.key.file",
            "lampone.client.manager.tls.verify.host");
  }

  @Test
  void theLimitsHold() {
    for (Setting<?> setting : ClientProperties.ALL) {
      if (!setting.lowest().isEmpty()) {
        String unit = setting.lowest().replaceAll("[0-9]", "");
        String shortName = setting.name().substring(ClientProperties.PREFIX.length());
        assertThatCode(() -> read(Map.of(shortName, setting.lowest()))).doesNotThrowAnyException();
        assertRefused(Map.of(shortName, "0" + unit), "name=" + setting.name() + " value=0");
      }
    }
    assertRefused(Map.of("frames.in.flight", "65"), "legal=number, 1 to 64");
    assertRefused(Map.of("timeout", "61m"), "10ms to 60m");
  }

  @Test
  void withoutPropertiesEverythingIsAsByDefault() {
    assertThat(ClientProperties.read(name -> null).build())
        .isEqualTo(TransactionManagerClientConfig.builder().build());
  }

  @Test
  void eachPropertyHasItsEffect() throws Exception {
    Path secret = secret("secret", "sixteen bytes at least\n");
    Path pem = Files.writeString(folder.resolve("pem"), "");
    TransactionManagerClientConfig config =
        read(
            Map.ofEntries(
                Map.entry("timeout", "7s"),
                Map.entry("connect.timeout", "300"),
                Map.entry("stall.timeout", "400ms"),
                Map.entry("backoff.cap", "1m"),
                Map.entry("outstanding", "9"),
                Map.entry("frames.in.flight", "2"),
                Map.entry("principal", "shop"),
                Map.entry("tenant", "sales"),
                Map.entry("secret.file", secret.toString()),
                Map.entry("tls", "true"),
                Map.entry("tls.authority.file", pem.toString()),
                Map.entry("tls.certificate.file", pem.toString()),
                Map.entry("tls.key.file", pem.toString()),
                Map.entry("tls.verify.host", "false")));
    assertThat(config.requestTimeout()).isEqualTo(Duration.ofSeconds(7));
    assertThat(config.connectTimeout()).isEqualTo(Duration.ofMillis(300));
    assertThat(config.stallTimeout()).isEqualTo(Duration.ofMillis(400));
    assertThat(config.backoffCap()).isEqualTo(Duration.ofMinutes(1));
    assertThat(config.maxOutstanding()).isEqualTo(9);
    assertThat(config.maxBatchesInFlight()).isEqualTo(2);
    assertThat(config.security().identity()).isEqualTo(new Identity("shop", "sales"));
    assertThat(config.security().secret()).isPresent();
    ClientTls tls = config.security().tls().orElseThrow();
    assertThat(tls.authorityFile()).contains(pem);
    assertThat(tls.certificateFile()).contains(pem);
    assertThat(tls.keyFile()).contains(pem);
    assertThat(tls.verifyHostName()).isFalse();
  }

  @Test
  void whatDoesNotDoIsNamed() throws Exception {
    Path shortSecret = secret("short", "short");
    assertRefused(Map.of("timeout", "soon"), "manager.timeout", "not a duration");
    assertRefused(Map.of("outstanding", "many"), "manager.outstanding");
    assertRefused(Map.of("tls", "yes"), "neither true nor false");
    assertRefused(Map.of("secret.file", folder.resolve("none").toString()), "no readable file");
    assertRefused(Map.of("secret.file", shortSecret.toString()), "secret too short");
    assertRefused(Map.of("principal", "a\nb"), "wrong name");
    assertRefused(Map.of("tls.key.file", shortSecret.toString()), "tls=true");
    Path good = secret("good", "sixteen bytes at least");
    assertRefused(Map.of("secret.file", good.toString()), "set lampone.client.manager.principal");
  }

  @Test
  void aSecretThatEverybodyMayReadIsRefused() throws Exception {
    Path open = secret("open", "sixteen bytes at least");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
    assertRefused(
        Map.of("principal", "shop", "secret.file", open.toString()), "chmod go-rwx", "secret.file");
  }

  private Path secret(String name, String text) throws Exception {
    Path file = Files.writeString(folder.resolve(name), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  private static void assertRefused(Map<String, String> properties, String... texts) {
    assertThatThrownBy(() -> read(properties))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .contains(texts);
  }

  private static TransactionManagerClientConfig read(Map<String, String> properties) {
    return ClientProperties.read(
            name -> properties.get(name.substring(ClientProperties.PREFIX.length())))
        .build();
  }
}
