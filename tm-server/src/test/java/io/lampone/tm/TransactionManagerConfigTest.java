package io.lampone.tm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.core.Retention;
import io.lampone.tm.core.validation.Sharding;
import io.lampone.tm.http.HttpSettings;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.PeerSettings;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.security.TlsSettings;
import io.lampone.tm.security.TlsSettings.ClientCertificates;
import io.lampone.tm.zookeeper.AclSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;

final class TransactionManagerConfigTest {

  private static final TlsSettings TLS =
      new TlsSettings(
          Path.of("/c"),
          Path.of("/k"),
          Optional.of(Path.of("/w")),
          Optional.of(Path.of("/a")),
          ClientCertificates.OPTIONAL);

  private static final String[] EVERY_PROPERTY = {
    "lampone.tm.bind.host=::1",
    "lampone.tm.bind.port=1",
    "lampone.tm.validator.name=v-1",
    "lampone.tm.validator.silence=750ms",
    "lampone.tm.buckets.primary=false",
    "lampone.tm.advertised.host=h",
    "lampone.tm.zookeeper.quorum=a:1,b:2",
    "lampone.tm.zookeeper.parent=/p/q",
    "lampone.tm.zookeeper.session.timeout=PT3S",
    "lampone.tm.lease.duration=4s",
    "lampone.tm.lease.renew.interval=700 ms",
    "lampone.tm.timestamps.ahead=30s",
    "lampone.tm.conflict.table.capacity=5",
    "lampone.tm.decision.memory.capacity=6",
    "lampone.tm.max.frame.bytes=7000",
    "lampone.tm.max.messages.per.frame=8",
    "lampone.tm.max.connections=9",
    "lampone.tm.max.outstanding.per.connection=10",
    "lampone.tm.max.outstanding=11",
    "lampone.tm.handshake.timeout=12s",
    "lampone.tm.event.loop.busy.poll=true",
    "lampone.tm.clock.ahead.limit=19s",
    "lampone.tm.security.authentication=secret",
    "lampone.tm.security.principals.file=/p",
    "lampone.tm.security.tls.certificate.file=/c",
    "lampone.tm.security.tls.key.file=/k",
    "lampone.tm.security.tls.key.password.file=/w",
    "lampone.tm.security.tls.authority.file=/a",
    "lampone.tm.security.tls.client.certificates=optional",
    "lampone.tm.security.peer.principal=tm",
    "lampone.tm.security.peer.secret.file=/s",
    "lampone.tm.admission.delay.limit=13ms",
    "lampone.tm.admission.max.half.open=14",
    "lampone.tm.admission.tenants.file=/t",
    "lampone.tm.admission.table.age=9s",
    "lampone.tm.admission.connections.of.principal=17",
    "lampone.tm.admission.connections.of.region.server=18",
    "lampone.tm.admission.connections.per.second=19",
    "lampone.tm.retention=15s",
    "lampone.tm.hold.longest=16m",
    "lampone.tm.http.host=localhost",
    "lampone.tm.http.port=-1",
    "lampone.tm.security.cluster.key.file=/ck",
    "lampone.tm.security.open=true",
    "lampone.tm.zookeeper.acl=sasl",
    "lampone.tm.zookeeper.acl.digest.file=/d",
    "lampone.tm.zookeeper.acl.sasl.principals=tm1, tm2",
    "another.property=ignored"
  };

  @Test
  void theDefaultsAreThese() {
    assertThat(TransactionManagerConfig.builder().build())
        .isEqualTo(
            new TransactionManagerConfig(
                "",
                17310,
                "",
                "localhost:2181",
                "/lampone",
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                Duration.ofMillis(500),
                Duration.ofSeconds(5),
                4_194_304,
                1_048_576,
                1_048_576,
                4096,
                4096,
                16_384,
                1_048_576,
                Duration.ofSeconds(5),
                false,
                Duration.ofSeconds(5),
                new SecuritySettings(
                    Mode.NONE,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty()),
                new AdmissionSettings(
                    Duration.ofMillis(10),
                    256,
                    Optional.empty(),
                    Duration.ofSeconds(10),
                    1024,
                    4,
                    2000),
                new Retention(Duration.ofMinutes(10), Duration.ofMinutes(10)),
                new HttpSettings("", 17311),
                new Exposure(
                    false, new AclSettings(AclSettings.Mode.AUTO, Optional.empty(), List.of())),
                new Sharding("", true, Duration.ofSeconds(1))));
  }

  @Test
  void whereClientsNeedShowNothingOnlyLoopbackIsListenedOn() {
    SecuritySettings proved =
        new SecuritySettings(
            Mode.SECRET,
            Optional.of(Path.of("/p")),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    Exposure closed = Exposure.DEFAULT;
    Exposure open = new Exposure(true, AclSettings.DEFAULT);
    assertThat(closed.host("", SecuritySettings.OFF)).isEqualTo("127.0.0.1");
    assertThat(closed.host("::1", SecuritySettings.OFF)).isEqualTo("::1");
    assertThat(closed.host("", proved)).isEqualTo("0.0.0.0");
    assertThat(closed.host("0.0.0.0", proved)).isEqualTo("0.0.0.0");
    assertThat(open.host("", SecuritySettings.OFF)).isEqualTo("0.0.0.0");
    assertThat(open.host("0.0.0.0", SecuritySettings.OFF)).isEqualTo("0.0.0.0");
    assertThatThrownBy(() -> closed.host("0.0.0.0", SecuritySettings.OFF))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lampone.tm.security.open=true")
        .hasMessageContaining("lampone.tm.security.authentication");
    assertThat(closed.admitsStrangers(SecuritySettings.OFF)).isFalse();
    assertThat(open.admitsStrangers(SecuritySettings.OFF)).isTrue();
    assertThat(open.admitsStrangers(proved)).isFalse();
  }

  @Test
  void theNamesAreThese() {
    assertThat(TransactionManagerConfig.propertyNames())
        .containsExactly(
            "lampone.tm.admission.connections.of.principal",
            "lampone.tm.admission.connections.of.region.server",
            "lampone.tm.admission.connections.per.second",
            "lampone.tm.admission.delay.limit",
            "lampone.tm.admission.max.half.open",
            "lampone.tm.admission.table.age",
            "lampone.tm.admission.tenants.file",
            "lampone.tm.advertised.host",
            "lampone.tm.bind.host",
            "lampone.tm.bind.port",
            "lampone.tm.buckets.primary",
            "lampone.tm.clock.ahead.limit",
            "lampone.tm.conflict.table.capacity",
            "lampone.tm.decision.memory.capacity",
            "lampone.tm.event.loop.busy.poll",
            "lampone.tm.handshake.timeout",
            "lampone.tm.hold.longest",
            "lampone.tm.http.host",
            "lampone.tm.http.port",
            "lampone.tm.http.token.file",
            "lampone.tm.lease.duration",
            "lampone.tm.lease.renew.interval",
            "lampone.tm.max.connections",
            "lampone.tm.max.frame.bytes",
            "lampone.tm.max.messages.per.frame",
            "lampone.tm.max.outstanding",
            "lampone.tm.max.outstanding.per.connection",
            "lampone.tm.retention",
            "lampone.tm.security.authentication",
            "lampone.tm.security.cluster.key.file",
            "lampone.tm.security.kerberos.connection.lifetime",
            "lampone.tm.security.kerberos.keytab.file",
            "lampone.tm.security.kerberos.principal",
            "lampone.tm.security.open",
            "lampone.tm.security.peer.principal",
            "lampone.tm.security.peer.secret.file",
            "lampone.tm.security.phase",
            "lampone.tm.security.principals.file",
            "lampone.tm.security.tls.authority.file",
            "lampone.tm.security.tls.certificate.file",
            "lampone.tm.security.tls.client.certificates",
            "lampone.tm.security.tls.key.file",
            "lampone.tm.security.tls.key.password.file",
            "lampone.tm.security.tls.phase",
            "lampone.tm.security.token.kept",
            "lampone.tm.security.token.kept.of.owner",
            "lampone.tm.security.token.lifetime",
            "lampone.tm.security.token.lifetime.longest",
            "lampone.tm.timestamps.ahead",
            "lampone.tm.validator.name",
            "lampone.tm.validator.silence",
            "lampone.tm.zookeeper.acl",
            "lampone.tm.zookeeper.acl.digest.file",
            "lampone.tm.zookeeper.acl.sasl.principals",
            "lampone.tm.zookeeper.parent",
            "lampone.tm.zookeeper.quorum",
            "lampone.tm.zookeeper.session.timeout");
  }

  @Test
  void everyPropertyReachesItsPlace() {
    assertThat(TransactionManagerConfig.fromProperties(properties(EVERY_PROPERTY)))
        .isEqualTo(
            new TransactionManagerConfig(
                "::1",
                1,
                "h",
                "a:1,b:2",
                "/p/q",
                Duration.ofSeconds(3),
                Duration.ofSeconds(4),
                Duration.ofMillis(700),
                Duration.ofSeconds(30),
                5,
                6,
                7000,
                8,
                9,
                10,
                11,
                Duration.ofSeconds(12),
                true,
                Duration.ofSeconds(19),
                new SecuritySettings(
                    Mode.SECRET,
                    Optional.of(Path.of("/p")),
                    Optional.of(TLS),
                    Optional.of(Path.of("/ck")),
                    Optional.of(new PeerSettings("tm", Path.of("/s")))),
                new AdmissionSettings(
                    Duration.ofMillis(13),
                    14,
                    Optional.of(Path.of("/t")),
                    Duration.ofSeconds(9),
                    17,
                    18,
                    19),
                new Retention(Duration.ofSeconds(15), Duration.ofMinutes(16)),
                new HttpSettings("localhost", -1),
                new Exposure(
                    true,
                    new AclSettings(
                        AclSettings.Mode.SASL, Optional.of(Path.of("/d")), List.of("tm1", "tm2"))),
                new Sharding("v-1", false, Duration.ofMillis(750))));
  }

  @Test
  void anUnknownPropertyIsNamed() {
    assertThatThrownBy(
            () ->
                TransactionManagerConfig.fromProperties(
                    properties("lampone.tm.lease.durration=2s")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lampone.tm.lease.durration")
        .hasMessageContaining("lampone.tm.lease.duration");
  }

  @Test
  void aValueThatDoesNotDoIsNamed() {
    for (String line :
        new String[] {
          "lampone.tm.bind.port=70000",
          "lampone.tm.bind.port=http",
          "lampone.tm.lease.duration=999999999999999999m",
          "lampone.tm.lease.duration=PT2562047788015216H",
          "lampone.tm.lease.duration=9223372036854775807s",
          "lampone.tm.lease.duration=31s",
          "lampone.tm.lease.renew.interval=9223372036854775807s",
          "lampone.tm.timestamps.ahead=9223372036854775807s",
          "lampone.tm.zookeeper.session.timeout=9223372036854775807s",
          "lampone.tm.handshake.timeout=9223372036854775807s",
          "lampone.tm.admission.delay.limit=9223372036854775807s",
          "lampone.tm.lease.duration=2",
          "lampone.tm.lease.duration=10ms",
          "lampone.tm.lease.duration=",
          "lampone.tm.lease.renew.interval=1500ms",
          "lampone.tm.timestamps.ahead=1s",
          "lampone.tm.timestamps.ahead=31s",
          "lampone.tm.zookeeper.acl=world",
          "lampone.tm.zookeeper.acl=digest",
          "lampone.tm.security.open=yes",
          "lampone.tm.zookeeper.parent=lampone",
          "lampone.tm.zookeeper.quorum= ",
          "lampone.tm.clock.ahead.limit=-1s",
          "lampone.tm.clock.ahead.limit=56s", // with timestamps.ahead=5s
          "lampone.tm.conflict.table.capacity=0",
          "lampone.tm.max.frame.bytes=1",
          "lampone.tm.handshake.timeout=-1s",
          "lampone.tm.event.loop.busy.poll=yes",
          "lampone.tm.security.authentication=password",
          "lampone.tm.security.tls.client.certificates=maybe",
          "lampone.tm.security.peer.principal=t m",
          "lampone.tm.admission.delay.limit=0s",
          "lampone.tm.admission.max.half.open=0",
          "lampone.tm.admission.connections.per.second=0",
          "lampone.tm.retention=10ms",
          "lampone.tm.hold.longest=P31D",
          "lampone.tm.http.port=-2",
          "lampone.tm.validator.silence=200ms", // the interval of the questions
        }) {
      assertThatThrownBy(() -> TransactionManagerConfig.fromProperties(properties(line)))
          .as(line)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(line.substring(0, line.indexOf('=')));
    }
  }

  @Test
  void whatSecurityNeedsBesidesIsNamed() {
    for (String[] lines :
        new String[][] {
          {"security.authentication=secret", "security.principals.file"},
          {"security.authentication=certificate", "security.tls.client.certificates"},
          {"security.tls.certificate.file=/c", "security.tls.key.file"},
          {"security.peer.principal=tm", "security.peer.secret.file"},
          {"security.peer.secret.file=/s", "security.peer.principal"},
          {"security.tls.key.file=/k", "security.tls.certificate.file"},
          {"security.tls.client.certificates=required", "security.tls.certificate.file"},
        }) {
      assertThatThrownBy(
              () -> TransactionManagerConfig.fromProperties(properties("lampone.tm." + lines[0])))
          .as(lines[0])
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("name=lampone.tm." + lines[1]);
    }
    assertThatThrownBy(
            () ->
                TransactionManagerConfig.fromProperties(
                    properties(
                        "lampone.tm.security.tls.certificate.file=/c",
                        "lampone.tm.security.tls.key.file=/k",
                        "lampone.tm.security.tls.client.certificates=required")))
        .hasMessageContaining("name=lampone.tm.security.tls.authority.file");
  }

  private static Properties properties(String... lines) {
    Properties properties = new Properties();
    for (String line : lines) {
      int equals = line.indexOf('=');
      properties.setProperty(line.substring(0, equals), line.substring(equals + 1));
    }
    return properties;
  }
}
