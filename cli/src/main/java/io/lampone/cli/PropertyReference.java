package io.lampone.cli;

import io.lampone.cli.backup.BackupOptions;
import io.lampone.coprocessor.EndpointGuard;
import io.lampone.coprocessor.core.fence.ProofCheck;
import io.lampone.protocol.config.Property;
import io.lampone.protocol.config.Property.Type;
import java.util.List;
import java.util.stream.Stream;

/** Reference of all properties, as a commented site file and as a page of the documentation. */
final class PropertyReference {

  /** Prefix of all properties. */
  static final String PREFIX = "lampone.";

  private static final int WIDTH = 96;

  /** Properties that belong together. */
  record Section(String title, String reader, List<Property> properties) {}

  static final List<Section> SECTIONS =
      List.of(
          new Section(
              "Transaction manager",
              "Read by 'lampone tm run', at its start.",
              io.lampone.tm.TmPropertyList.ALL),
          new Section(
              "Client",
              "Read by applications and by the lampone command, when they connect.",
              io.lampone.client.config.ClientPropertyList.ALL),
          new Section(
              "Client of the transaction manager",
              "Read by applications and by the lampone command, when they connect.",
              io.lampone.tmclient.TmClientPropertyList.ALL),
          new Section(
              "Region server",
              "Read by region servers, at their start, from HBase's own hbase-site.xml: set them"
                  + " there.",
              Stream.concat(
                      io.lampone.coprocessor.healer.HealerPropertyList.ALL.stream(),
                      Stream.of(
                          Property.file(
                              ProofCheck.CLUSTER_KEY_FILE,
                              "The transaction managers' cluster key, readable by the region"
                                  + " server's user only; needed where they have one."),
                          Property.duration(
                              ProofCheck.ABORTABLE_AGE,
                              ProofCheck.DEFAULT_ABORTABLE_AGE.toSeconds() + "s",
                              "0ms",
                              "",
                              "How old an undecided transaction has to be before other clients may"
                                  + " abort it where the transaction manager has not decided."),
                          Property.text(
                              EndpointGuard.ALLOWED,
                              EndpointGuard.DEFAULT_ALLOWED,
                              "Services of other coprocessors that may be called on transactional"
                                  + " tables, by their protobuf names: such as touch no row.")))
                  .toList()),
          new Section(
              "Backups",
              "Read by 'lampone export' and 'lampone restore'.",
              List.of(
                  Property.file(
                      BackupOptions.KEY_FILE_PROPERTY,
                      "The key that signs backups, 32 bytes or more, readable by its owner only;"
                          + " see docs/operations/backup.md."))));

  private PropertyReference() {}

  static Stream<Property> properties() {
    return SECTIONS.stream().flatMap(section -> section.properties().stream());
  }

  /** Returns the names of all properties. */
  static List<String> names() {
    return properties().map(Property::name).toList();
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
      section.properties().forEach(property -> site(out, property));
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
      for (Property property : section.properties()) {
        out.append("| `").append(property.name()).append("` | ");
        out.append(property.defaultValue().isEmpty() ? "none" : property.defaultValue());
        out.append(" | ").append(value(property)).append(" | ").append(property.meaning());
        out.append(" |\n");
      }
    }
    return out.toString();
  }

  private static void site(StringBuilder out, Property property) {
    out.append("\n  <!--\n");
    wrap(out, property.meaning());
    String fallback = property.defaultValue().isEmpty() ? "none" : property.defaultValue();
    wrap(out, "Value: " + value(property) + ". Default: " + fallback + ".");
    out.append("  <property>\n    <name>").append(property.name()).append("</name>\n");
    out.append("    <value>").append(property.defaultValue()).append("</value>\n");
    out.append("  </property>\n  -->\n");
  }

  private static String value(Property property) {
    String unit = property.type().unit();
    if (property.type() == Type.CHOICE) {
      return unit + " " + property.limits();
    }
    return property.limits().isEmpty() ? unit : unit + ", " + property.limits();
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
