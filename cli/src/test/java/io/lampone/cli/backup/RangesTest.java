package io.lampone.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cli.backup.Manifest.Part;
import io.lampone.cli.backup.Manifest.TableEntry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RangesTest {

  @Test
  void eachRangeEndsWhereTheNextOneBeginsWhateverTheRegionsSay() {
    assertThat(planned()).containsExactly("-");
    assertThat(planned("")).containsExactly("-");
    assertThat(planned("", "g", "p")).containsExactly("-g", "g-p", "p-");
    // Replicas, and a region that lies over another one.
    assertThat(planned("p", "", "g", "g", "", "p", "h")).containsExactly("-g", "g-h", "h-p", "p-");
    // The first one is lost.
    assertThat(planned("g")).containsExactly("-g", "g-");
    assertThat(Ranges.of(List.of(new byte[] {-1}, new byte[] {1})).stream().map(Part::file))
        .containsExactly("part-00000", "part-00001", "part-00002");
  }

  @Test
  void filesHaveTheSameNamesInEveryLanguage() {
    Locale own = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    try {
      assertThat(Ranges.of(List.of()).get(0).file()).isEqualTo("part-00000");
    } finally {
      Locale.setDefault(own);
    }
  }

  @Test
  void whatMayLackRowsIsNotWholeAndWhatHasThemTwiceIs() {
    for (String whole : List.of("-", "-g g-", "g- -g -g g-", "-p g-h h-")) {
      assertThatCode(() -> Ranges.requireWhole(table(whole))).as(whole).doesNotThrowAnyException();
    }
    for (String lacking : List.of("", "g-", "-g", "-g h-", "-g p- g-h", "-p g-h")) {
      assertThatThrownBy(() -> Ranges.requireWhole(table(lacking)))
          .as(lacking)
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("rows are missing")
          .hasMessageContaining("table=t");
    }
    assertThatThrownBy(() -> Ranges.requireWhole(table("-g p- g-h")))
        .hasMessageContaining("from=h to=p");
  }

  private static List<String> planned(String... starts) {
    return Ranges.of(Stream.of(starts).map(start -> bytes(start)).toList()).stream()
        .map(
            part ->
                BackupFolder.bytes(part.start()).toUtf8()
                    + "-"
                    + BackupFolder.bytes(part.stop()).toUtf8())
        .toList();
  }

  private static TableEntry table(String ranges) {
    List<Part> parts =
        Stream.of(ranges.split(" "))
            .filter(range -> !range.isEmpty())
            .map(range -> range.split("-", -1))
            .map(ends -> new Part("p", text(ends[0]), text(ends[1]), 0, 0, 0, 0))
            .toList();
    return new TableEntry("t", "ROW", "t", "", 1, parts, 0);
  }

  private static String text(String row) {
    return BackupFolder.text(bytes(row));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
