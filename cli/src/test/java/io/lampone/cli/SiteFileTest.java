package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Unreadable files in the folder of settings do not count as missing. */
class SiteFileTest {

  private static final String FOLDER_PROPERTY = "lampone.conf";

  /** Invalid setting with which a transaction manager ends at once. */
  private static final String NO_PORT = "lampone.tm.bind.port=70000";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private @Nullable String folderBefore;

  @TempDir Path folder;

  /** Files that are unreadable even for root. */
  enum Unreadable {
    LINK_TO_NOWHERE,
    FOLDER;

    void make(Path file) throws IOException {
      if (this == FOLDER) {
        Files.createDirectory(file);
      } else {
        Files.createSymbolicLink(file, file.resolveSibling("nowhere"));
      }
    }
  }

  @BeforeEach
  void setFolder() {
    folderBefore = System.getProperty(FOLDER_PROPERTY);
    System.setProperty(FOLDER_PROPERTY, folder.toString());
  }

  @AfterEach
  void resetFolder() {
    if (folderBefore == null) {
      System.clearProperty(FOLDER_PROPERTY);
    } else {
      System.setProperty(FOLDER_PROPERTY, folderBefore);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTransactionManagerDoesNotStartWithASiteFileThatItCannotRead(Unreadable kind)
      throws IOException {
    kind.make(folder.resolve("lampone-site.xml"));
    assertThat(execute("tm", "run", "-D", NO_PORT)).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "cannot read the file " + folder.resolve("lampone-site.xml"),
            "let the user of this command read it");
  }

  @ParameterizedTest
  @EnumSource
  void itIsNotValidEither(Unreadable kind) throws IOException {
    kind.make(folder.resolve("lampone-site.xml"));
    assertThat(execute("config", "validate")).isEqualTo(1);
    assertThat(err.toString())
        .contains(
            "cannot read the file " + folder.resolve("lampone-site.xml"),
            "let the user of this command read it");
  }

  @ParameterizedTest
  @EnumSource
  void noOtherClusterIsTakenForTheOneOfAnUnreadableHBaseSite(Unreadable kind) throws IOException {
    kind.make(folder.resolve("hbase-site.xml"));
    ConnectionOptions options = new ConnectionOptions();
    options.zooKeeper = "elsewhere:1";
    assertThatThrownBy(() -> options.configuration(new PrintWriter(err)))
        .isInstanceOfSatisfying(
            CommandException.class, e -> assertThat(e.advice()).contains("--config"))
        .hasMessageContaining("cannot read the file " + folder.resolve("hbase-site.xml"));
  }

  @ParameterizedTest
  @EnumSource
  void noOtherClusterIsTakenForTheOneOfTheQuickStartEither(Unreadable kind) throws IOException {
    ConnectionOptions options = new ConnectionOptions();
    options.quickstartSite = folder.resolve("quickstart.xml");
    assertThat(options.configuration(new PrintWriter(out)).get("hbase.zookeeper.quorum"))
        .isEqualTo("127.0.0.1");
    kind.make(options.quickstartSite);
    assertThatThrownBy(() -> options.configuration(new PrintWriter(err)))
        .isInstanceOfSatisfying(
            CommandException.class,
            e -> assertThat(e.advice()).contains("let the user of this command read it"))
        .hasMessageContaining("cannot read the file " + options.quickstartSite);
  }

  @Test
  void anHBaseSiteThatIsNamedGoesBeforeTheUnreadableOne() throws IOException {
    Unreadable.LINK_TO_NOWHERE.make(folder.resolve("hbase-site.xml"));
    ConnectionOptions options = new ConnectionOptions();
    options.config = site("named.xml", "hbase.zookeeper.quorum", "named").toFile();
    assertThat(options.configuration(new PrintWriter(err)).get("hbase.zookeeper.quorum"))
        .isEqualTo("named");
  }

  @Test
  void aTransactionManagerSaysWhichSettingsItHasRead() throws IOException {
    assertThat(logOfManager("-D", NO_PORT))
        .contains("no file of settings, defaults hold", "file=" + folder.resolve(SiteFile.NAME));

    Path found = site(SiteFile.NAME, "lampone.tm.bind.host", "127.0.0.1");
    assertThat(logOfManager("-D", NO_PORT)).contains("settings read, file=" + found);

    Path named = site("named.xml", "lampone.tm.bind.host", "127.0.0.1");
    assertThat(logOfManager("-D", NO_PORT, named.toString()))
        .contains("settings read, file=" + named);

    System.clearProperty(FOLDER_PROPERTY);
    assertThat(logOfManager("-D", NO_PORT)).contains("no file of settings, defaults hold");
  }

  /** Forms of files that 'tm run FILE' accepts. */
  @Test
  void aPropertiesFileIsValidatedToo() throws IOException {
    Path file = folder.resolve("tm.properties");
    Files.writeString(file, "lampone.tm.lease.duration = 4s\nother=1\n");
    assertThat(execute("config", "validate", file.toString())).as(err.toString()).isZero();
    Files.writeString(file, "lampone.tm.lease.duraton=4s\n");
    assertThat(execute("config", "validate", file.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("lampone.tm.lease.duraton", "lampone.tm.lease.duration");
    Files.writeString(file, "lampone.tm.lease.duration=\\uXX\n");
    assertThat(execute("config", "validate", file.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("not a properties file: " + file).doesNotContain("\tat ");
  }

  @Test
  void aTransactionManagerDoesNotStartWithAnUnknownNameInAPropertiesFileEither()
      throws IOException {
    Path file = folder.resolve("tm.properties");
    for (String name : List.of("lampone.tn.bind.host", "lampone.tmsecurity.cluster.key.file")) {
      Files.writeString(file, name + "=x\n");
      assertThat(execute("tm", "run", file.toString(), "-D", NO_PORT)).isEqualTo(2);
      assertThat(err.toString()).contains("unknown property", "name=" + name);
    }
    assertThat(execute("tm", "run", "/dev/null", "-D", NO_PORT)).isEqualTo(2);
    assertThat(err.toString()).contains("no regular file, file=/dev/null");
    Files.writeString(file, "lampone.client.manager.timeout=1s\nother=1\n");
    assertThat(logOfManager("-D", NO_PORT, file.toString())).contains("settings read, file=");
  }

  @Test
  void aDurationThatNobodyCanReckonWithIsNamed() throws IOException {
    Path file = folder.resolve("tm.properties");
    Files.writeString(file, "lampone.tm.lease.duration=999999999999999999m\n");
    assertThat(execute("config", "validate", file.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("lampone.tm.lease.duration", "999999999999999999m");
    assertThat(execute("tm", "run", file.toString())).isEqualTo(2);
  }

  @Test
  void settingsOfRegionServersAndBackupsAreValidatedToo() throws IOException {
    Path file = site("region.xml", "lampone.region.abortable.age", "abc");
    assertThat(execute("config", "validate", file.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("lampone.region.abortable.age", "abc");
    site("region.xml", "lampone.region.sql.ttl", "perhaps");
    assertThat(execute("config", "validate", file.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("lampone.region.sql.ttl", "perhaps");
    Path backup = folder.resolve("backup.properties");
    Files.writeString(backup, "lampone.backup.key.file=a\\u0000b\n");
    assertThat(execute("config", "validate", backup.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("lampone.backup.key.file");
    site("region.xml", "lampone.region.abortable.age", "3s");
    assertThat(execute("config", "validate", file.toString())).isZero();
  }

  private Path site(String name, String property, String value) throws IOException {
    return Files.writeString(
        folder.resolve(name),
        "<configuration><property><name>"
            + property
            + "</name><value>"
            + value
            + "</value></property></configuration>");
  }

  private String logOfManager(String... arguments) {
    String[] all = new String[arguments.length + 2];
    all[0] = "tm";
    all[1] = "run";
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      assertThat(execute(all)).isEqualTo(2);
    } finally {
      System.setErr(before);
    }
    return log.toString(StandardCharsets.UTF_8);
  }

  private int execute(String... arguments) {
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
