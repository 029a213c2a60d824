package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.Lampone;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PhoenixTestsCommandTest {

  private static final String PROPERTY = "lampone.source.tree";

  private final StringWriter errors = new StringWriter();

  @AfterEach
  void clearTree() {
    System.clearProperty(PROPERTY);
  }

  @Test
  void anUnknownTier_isRefused() {
    System.setProperty(PROPERTY, Path.of("../..").toString());
    assertThat(execute("--tier", "3")).isEqualTo(2);
    assertThat(errors.toString()).contains("tier=3");
  }

  @Test
  void withoutASourceTree_itSaysSo() {
    assertThat(execute()).isEqualTo(2);
    assertThat(errors.toString()).contains("need a source tree", "in a clone");
  }

  @Test
  void anUnknownClass_isRefused() {
    System.setProperty(PROPERTY, Path.of("../..").toString());
    assertThat(execute("--class", "NoSuchIT")).isEqualTo(2);
    assertThat(errors.toString()).contains("NoSuchIT", StockTests.FILE);
  }

  private int execute(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "phoenix-its";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return Lampone.commandLine().setErr(new PrintWriter(errors, true)).execute(all);
  }
}
