package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.protocol.config.Setting;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PropertyReferenceTest {

  private static final Path ROOT = Path.of("..");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  /** Generates the pages with {@code -Dlampone.write=true}. */
  @Test
  void theCommittedFilesAreTheOnesThatTheCodeGenerates() throws IOException {
    assertIsCommitted(
        ROOT.resolve("distribution/conf/lampone-site.xml"), PropertyReference.siteFile());
    assertIsCommitted(ROOT.resolve("docs/operations/properties.md"), PropertyReference.page());
  }

  @Test
  void noNameIsDeclaredTwice() {
    assertThat(PropertyReference.names()).doesNotHaveDuplicates();
  }

  @Test
  void theSiteFileSetsNothingAndWithEveryDefaultWrittenOutItIsStillRight() throws IOException {
    Path file = Files.writeString(folder.resolve("site.xml"), PropertyReference.siteFile());
    assertThat(SiteFile.read(file).size()).isZero();
    StringBuilder all = new StringBuilder("<configuration>");
    PropertyReference.settings()
        .filter(setting -> setting.type() != Setting.Type.FILE)
        .forEach(setting -> all.append(set(setting.name(), setting.defaultText())));
    Files.writeString(file, all + "</configuration>");

    assertThat(execute("config", "validate", file.toString())).as(out.toString()).isZero();
    assertThat(SiteFile.read(file).size()).isGreaterThan(40);
  }

  @ParameterizedTest
  @CsvSource({
    "lampone.tm.lease.druation, 2s, did you mean lampone.tm.lease.duration?",
    "lampone.clinet.buffer.bytes, 1, did you mean lampone.client.buffer.bytes?",
    "lampone.tm.lease.duration, 2, duration without a unit",
    "lampone.tm.bind.port, 70000, 0 to 65535",
    "lampone.client.request.rows, many, name=lampone.client.request.rows value=many",
    "lampone.client.manager.frames.in.flight, 65, 1 to 64",
    "lampone.client.manager.tls, yes, neither true nor false",
    "lampone.healer.perod, 1s, did you mean lampone.healer.period?",
    "lampone.healer.enabled, off, name=lampone.healer.enabled value=off",
    "lampone.healer.delay, soon, name=lampone.healer.delay value=soon",
    "lampone.healer.cells.per.second, 0, 1 to 2147483647"
  })
  void aMistakeIsNamedWithWhatToDo(String name, String value, String complaint) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("site.xml"), "<configuration>" + set(name, value) + "</configuration>");

    assertThat(execute("config", "validate", file.toString())).isEqualTo(1);
    assertThat(out.toString()).contains(complaint);
    assertThat(out.toString().lines()).hasSize(1);
  }

  /** Settings of the healer are in the same file as clients': docs/operations/retention.md. */
  @Test
  void settingsOfTheHealerAreKnown() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("hbase-site.xml"),
            "<configuration>"
                + set("lampone.healer.enabled", "false")
                + set("lampone.healer.period", "20s")
                + set("lampone.healer.delay", "30s")
                + set("lampone.healer.cells.per.second", "1000")
                + set("lampone.healer.transactions.per.second", "10")
                + "</configuration>");

    assertThat(execute("config", "validate", file.toString())).as(out.toString()).isZero();
    assertThat(PropertyReference.page()).contains("## Region server", "`lampone.healer.period`");
  }

  @Test
  void scriptsGetEachMistakeByItself() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("site.xml"),
            "<configuration>"
                + set("lampone.tm.lease.druation", "2s")
                + set("lampone.clinet.buffer.bytes", "1")
                + "</configuration>");

    assertThat(execute("config", "validate", "--json", file.toString())).isEqualTo(1);
    assertThat(new ObjectMapper().readTree(out.toString()).get("problems")).hasSize(2);
  }

  @Test
  void aTransactionManagerDoesNotStartWithANameThatNobodyReads() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("site.xml"),
            "<configuration>" + set("lampone.tn.bind.port", "0") + "</configuration>");

    assertThat(execute("tm", "run", file.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("did you mean lampone.tm.bind.port?");
  }

  @Test
  void managerPropertiesAreThoseOfTheManager() {
    Configuration configuration = new Configuration(false);
    configuration.set("lampone.tm.bind.port", " 1 ");
    configuration.set("lampone.client.request.rows", "2");
    assertThat(SiteFile.managerProperties(configuration))
        .hasSize(1)
        .containsEntry("lampone.tm.bind.port", "1");
  }

  private static void assertIsCommitted(Path file, String expected) throws IOException {
    if (Boolean.getBoolean("lampone.write")) {
      Files.writeString(file, expected);
    }
    assertThat(file).content().isEqualTo(expected);
  }

  private static String set(String name, String value) {
    return "<property><name>" + name + "</name><value>" + value + "</value></property>";
  }

  private int execute(String... arguments) {
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
