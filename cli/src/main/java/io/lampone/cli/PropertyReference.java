package io.lampone.cli;

import io.lampone.cli.backup.BackupOptions;
import io.lampone.client.config.ClientSettings;
import io.lampone.coprocessor.core.RegionServerSettings;
import io.lampone.coprocessor.healer.HealerSettings;
import io.lampone.protocol.config.Setting;
import io.lampone.tm.TmSettings;
import io.lampone.tmclient.ClientProperties;
import java.util.List;
import java.util.stream.Stream;

/** Reference of all properties, as a commented site file and as a page of the documentation. */
final class PropertyReference {

  /** Prefix of all properties. */
  static final String PREFIX = "lampone.";

  private static final int WIDTH = 96;

  /** Settings that belong together. */
  record Section(String title, String reader, List<Setting<?>> settings) {}

  static final List<Section> SECTIONS =
      List.of(
          new Section(
              "Transaction manager", "Read by 'lampone tm run', at its start.", TmSettings.ALL),
          new Section(
              "Client",
              "Read by applications and by the lampone command, when they connect.",
              ClientSettings.ALL),
          new Section(
              "Client of the transaction manager",
              "Read by applications and by the lampone command, when they connect.",
              ClientProperties.ALL),
          new Section(
              "Region server",
              "Read by region servers, at their start, from HBase's own hbase-site.xml: set them"
                  + " there.",
              Stream.concat(HealerSettings.ALL.stream(), RegionServerSettings.ALL.stream())
                  .toList()),
          new Section(
              "Backups",
              "Read by 'lampone export' and 'lampone restore'.",
              List.of(BackupOptions.KEY_FILE)));

  private PropertyReference() {}

  static Stream<Setting<?>> settings() {
    return SECTIONS.stream().flatMap(section -> section.settings().stream());
  }

  /** Returns the names of all properties. */
  static List<String> names() {
    return settings().<String>map(Setting::name).toList();
  }

  /** Returns the site file: every property with its explanation, commented out. */
  static String siteFile() {
    StringBuilder out =
        new StringBuilder(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!--
              Every property of Lampone. What is commented out has its default. This file is read by
              bin/lampone; applications read the same names from their hbase-site.xml or Configuration.
              Generated from the code by 'lampone config site'; 'lampone config validate FILE' says
              whether a file makes sense.
            -->
            <configuration>
            """);
    for (Section section : SECTIONS) {
      out.append("\n  <!-- ").append(section.title()).append(". ").append(section.reader());
      out.append(" -->\n");
      section.settings().forEach(setting -> site(out, setting));
    }
    return out.append("\n</configuration>\n").toString();
  }

  /** Returns the reference page. */
  static String page() {
    StringBuilder out =
        new StringBuilder(
            """
            # Properties

            Generated from the code by `lampone config page`, and held against it by a test. `conf/lampone-site.xml` has the same as a file to
            fill in. Unknown names are refused with the nearest known one, values out of range with the range; `lampone config validate FILE`
            says so without starting anything, and `lampone check` looks at what is in force.

            Durations are written `500ms`, `10s`, `1m`. Where each property belongs is said in [install.md](install.md#settings).
            """);
    for (Section section : SECTIONS) {
      out.append("\n## ").append(section.title()).append("\n\n").append(section.reader());
      out.append("\n\n| property | default | value | meaning |\n|---|---|---|---|\n");
      for (Setting<?> setting : section.settings()) {
        out.append("| `").append(setting.name()).append("` | ").append(defaultOf(setting));
        out.append(" | ").append(setting.legalValues()).append(" | ").append(setting.meaning());
        out.append(" |\n");
      }
    }
    return out.toString();
  }

  private static void site(StringBuilder out, Setting<?> setting) {
    out.append("\n  <!--\n");
    wrap(out, setting.meaning());
    wrap(out, "Value: " + setting.legalValues() + ". Default: " + defaultOf(setting) + ".");
    out.append("  <property>\n    <name>").append(setting.name()).append("</name>\n");
    out.append("    <value>").append(setting.defaultText()).append("</value>\n");
    out.append("  </property>\n  -->\n");
  }

  private static String defaultOf(Setting<?> setting) {
    return setting.defaultText().isEmpty() ? "none" : setting.defaultText();
  }

  private static void wrap(StringBuilder out, String text) {
    int column = 0;
    for (String word : text.split(" ", -1)) {
      if (column == 0 || column + 1 + word.length() > WIDTH) {
        out.append(column == 0 ? "    " : "\n    ").append(word);
        column = 4 + word.length();
      } else {
        out.append(' ').append(word);
        column += 1 + word.length();
      }
    }
    out.append('\n');
  }
}
