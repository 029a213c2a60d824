package io.lampone.protocol.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lampone.protocol.config.Setting.Type;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingTest {

  private enum Level {
    ROW,
    CELL
  }

  private final SettingList list = new SettingList("test.", false);
  private final Setting<Duration> pause = list.duration("pause", "10s", "5ms", "1h", "A pause.");
  private final Setting<Integer> rows = list.count("rows", 3, 1, 10, "Rows.");
  private final Setting<Long> size = list.bytes("size", 1L << 33, 0, 1L << 40, "Bytes.");
  private final Setting<Boolean> on = list.flag("on", true, "Whether it is on.");
  private final Setting<Level> level = list.choice("level", Level.class, "The level.");
  private final Setting<String> name = list.text("name", "", "The name.");
  private final Setting<Optional<Path>> file = list.file("file", "The file.");
  private final Setting<String> znode = list.znode("znode", "/lampone", "The znode.");

  @Test
  void unsetMeansTheDefault() {
    assertThat(read(pause, null)).isEqualTo(Duration.ofSeconds(10));
    assertThat(read(rows, null)).isEqualTo(3);
    assertThat(read(size, null)).isEqualTo(1L << 33);
    assertThat(read(on, null)).isTrue();
    assertThat(read(level, null)).isEqualTo(Level.ROW);
    assertThat(read(name, null)).isEmpty();
    assertThat(read(file, null)).isEmpty();
    assertThat(read(znode, null)).isEqualTo("/lampone");
  }

  @ParameterizedTest
  @CsvSource({
    "5ms, PT0.005S",
    "2s, PT2S",
    "'2 s', PT2S",
    "3m, PT3M",
    "1h, PT1H",
    "PT2S, PT2S",
    "' 7S ', PT7S"
  })
  void durations(String text, Duration value) {
    assertThat(read(pause, text)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10",
        "soon",
        "4ms",
        "3601s",
        "-1s",
        "9223372036854775807s",
        "9223372036854775808s",
        "999999999999999999m",
        "PT2562047788015216H",
        "1 week"
      })
  void anIllegalDurationIsNamed(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read(pause, text))
        .withMessageContaining("name=test.pause value=" + text)
        .withMessageContaining("legal=duration: 500ms, 10s, 1m, 5ms to 1h");
  }

  @Test
  void whereUnitsMayLackTheyAreMilliseconds() {
    Setting<Duration> bare = new SettingList("test.", true).duration("bare", "1s", "", "", "Bare.");
    assertThat(read(bare, "250")).isEqualTo(Duration.ofMillis(250));
    assertThat(read(bare, "1d")).isEqualTo(Duration.ofDays(1));
  }

  @Test
  void otherTypes() {
    assertThat(read(rows, " 10 ")).isEqualTo(10);
    assertThat(read(on, "false")).isFalse();
    assertThat(read(on, "False")).isFalse();
    assertThat(read(level, "Cell")).isEqualTo(Level.CELL);
    assertThat(read(file, "/f")).contains(Path.of("/f"));
    assertThat(read(file, "")).isEmpty();
    assertThat(read(znode, "/a/b")).isEqualTo("/a/b");
    assertRefused(rows, "0", "number, 1 to 10");
    assertRefused(rows, "11", "number, 1 to 10");
    assertRefused(rows, "many", "number, 1 to 10");
    assertRefused(size, "-1", "number of bytes, 0 to 1099511627776");
    assertRefused(on, "yes", "true or false");
    assertRefused(level, "table", "one of row, cell");
    assertRefused(file, "a\0b", "path of a file");
    assertRefused(znode, "lampone", "path of a znode");
    assertRefused(znode, "/lampone/", "path of a znode");
  }

  @Test
  void valuesOfProgramsAreCheckedToo() {
    assertThat(rows.check(10)).isEqualTo(10);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rows.check(0))
        .withMessage(
            "property without a usable value, name=test.rows value=0 legal=number, 1 to 10");
    assertThatIllegalArgumentException().isThrownBy(() -> pause.check(Duration.ofNanos(1)));
    assertThatIllegalArgumentException().isThrownBy(() -> znode.check("/"));
  }

  @Test
  void theListKeepsTheOrder() {
    assertThat(list.all()).first().isSameAs(pause);
    assertThat(list.all()).last().isSameAs(znode);
    assertThat(list.names()).hasSize(8).contains("test.level");
    assertThat(level.type()).isEqualTo(Type.CHOICE);
    assertThat(level.choices()).containsExactly("row", "cell");
  }

  /** A declaration is checked when it is made. */
  @Test
  void theDefaultHasToBeLegal() {
    assertThatIllegalArgumentException().isThrownBy(() -> list.count("bad", 0, 1, 2, "Bad."));
    assertThatIllegalArgumentException().isThrownBy(() -> list.flag("silent", true, " "));
  }

  private static <T> T read(Setting<T> setting, String text) {
    Map<String, String> values = text == null ? Map.of() : Map.of(setting.name(), text);
    return setting.read(values::get);
  }

  private static void assertRefused(Setting<?> setting, String text, String legal) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read(setting, text))
        .withMessageContaining("name=" + setting.name() + " value=" + text)
        .withMessageContaining("legal=" + legal);
  }
}
