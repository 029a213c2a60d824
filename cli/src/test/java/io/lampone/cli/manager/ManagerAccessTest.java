package io.lampone.cli.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Lampone;
import io.lampone.embedded.EmbeddedZooKeeper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** ZooKeeper that replies with unusable content. */
@Timeout(180)
class ManagerAccessTest {

  private static final List<ACL> UNREADABLE =
      Collections.singletonList(new ACL(Perms.ALL & ~Perms.READ, Ids.ANYONE_ID_UNSAFE));

  @TempDir private static Path folder;

  private static EmbeddedZooKeeper zooKeeper;

  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws IOException {
    zooKeeper = EmbeddedZooKeeper.start(folder.resolve("zookeeper"), 0, Duration.ofSeconds(10));
  }

  @AfterAll
  static void stop() {
    zooKeeper.close();
  }

  @Test
  void aRecordOfAnotherFormatIsNoSilence() throws Exception {
    create("/newer", "", Ids.OPEN_ACL_UNSAFE);
    create("/newer/tm", "format=2\n", Ids.OPEN_ACL_UNSAFE);
    assertThat(status("/newer")).isEqualTo(1);
    assertThat(err.toString())
        .contains(
            "the transaction manager's record cannot be read",
            "znode=/newer/tm",
            "format=2",
            "another version of Lampone")
        .doesNotContain("does not answer");
  }

  @Test
  void aRecordThatThisUserMayNotReadIsNoSilence() throws Exception {
    create("/closed", "", Ids.OPEN_ACL_UNSAFE);
    create("/closed/tm", "format=1\n", UNREADABLE);
    assertThat(status("/closed")).isEqualTo(1);
    assertThat(err.toString())
        .contains(
            "the transaction manager's record cannot be read", "path=/closed/tm", "code=NOAUTH")
        .contains("may this user read it?")
        .doesNotContain("does not answer");
  }

  @Test
  void norIsAListThatThisUserMayNotRead() throws Exception {
    create("/half", "", Ids.OPEN_ACL_UNSAFE);
    create("/half/members", "", UNREADABLE);
    assertThat(status("/half")).isEqualTo(1);
    assertThat(err.toString())
        .contains("the list of transaction managers cannot be read", "path=/half/members")
        .contains("may this user read it?")
        .doesNotContain("does not answer");
  }

  @Test
  void aParentThatIsNoZnodeIsNamed() {
    assertThat(status("noslash")).isEqualTo(1);
    assertThat(err.toString())
        .contains("path=noslash/tm", "lampone.zookeeper.parent")
        .doesNotContain("does not answer");
  }

  /** A misspelt name would connect without the secret that it should name. */
  @Test
  void namesThatNobodyReadsAreRefusedWithTheNearestOne() {
    for (String command : new String[] {"tm status", "tm inspect", "hold list"}) {
      for (String name :
          new String[] {"lampone.client.manager.secret.fil", "lampone.zookeeper.parnt"}) {
        err.getBuffer().setLength(0);
        String[] words =
            (command + " --zookeeper " + zooKeeper.connectString() + " -D " + name + "=/tm")
                .split(" ");
        assertThat(
                Lampone.commandLine()
                    .setOut(new PrintWriter(new StringWriter(), true))
                    .setErr(new PrintWriter(err, true))
                    .execute(words))
            .isEqualTo(1);
        assertThat(err.toString())
            .as(command)
            .contains(name)
            .contains(name.endsWith("fil") ? name + "e" : "lampone.zookeeper.parent");
      }
    }
  }

  /** A command connects once, so that a pause of the manager above 2 s must not fail it. */
  @Test
  void aCommandWaitsLongerForAGreetingThanAnApplication() {
    assertThat(connectTimeout(Map.of())).isEqualTo(Duration.ofSeconds(10));
    assertThat(connectTimeout(Map.of("lampone.client.manager.connect.timeout", "300ms")))
        .isEqualTo(Duration.ofMillis(300));
  }

  private static Duration connectTimeout(Map<String, String> settings) {
    List<String> words = new ArrayList<>(List.of("--zookeeper", zooKeeper.connectString()));
    settings.forEach((key, value) -> words.addAll(List.of("-D", key + "=" + value)));
    ConnectionOptions options =
        CommandLine.populateCommand(new ConnectionOptions(), words.toArray(new String[0]));
    try (ManagerAccess access =
        ManagerAccess.open(options, new PrintWriter(new StringWriter(), true))) {
      return access.config().connectTimeout();
    }
  }

  private int status(String parent) {
    return Lampone.commandLine()
        .setOut(new PrintWriter(new StringWriter(), true))
        .setErr(new PrintWriter(err, true))
        .execute(
            "tm",
            "status",
            "--zookeeper",
            zooKeeper.connectString(),
            "-D",
            "lampone.zookeeper.parent=" + parent);
  }

  private static void create(String path, String data, List<ACL> rights) throws Exception {
    CountDownLatch connected = new CountDownLatch(1);
    try (ZooKeeper client =
        new ZooKeeper(
            zooKeeper.connectString(),
            10_000,
            event -> {
              if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
              }
            })) {
      assertThat(connected.await(20, TimeUnit.SECONDS)).isTrue();
      client.create(path, data.getBytes(StandardCharsets.UTF_8), rights, CreateMode.PERSISTENT);
    }
  }
}
