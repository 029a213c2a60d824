package io.lampone.sql;

import static io.lampone.cli.check.Finding.fail;
import static io.lampone.cli.check.Finding.warn;

import io.lampone.cli.check.ClusterCheck;
import io.lampone.cli.check.Finding;
import io.lampone.cli.check.Finding.Level;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.jspecify.annotations.Nullable;

/** Comparison of Phoenix's catalogue with the descriptors of HBase's tables. */
final class SqlTables {

  private static final String CHECK = "sql table";

  /** Beginnings of the names of Omid's region observers, under Phoenix and without it. */
  private static final List<String> OMID =
      List.of("org.apache.phoenix.coprocessor.Omid", "org.apache.omid.");

  private SqlTables() {}

  /**
   * Judges tables.
   *
   * @param tables all of HBase
   * @param catalogue by name in HBase, whether a table of SQL is transactional; empty if there is
   *     no catalogue
   */
  static List<Finding> judge(List<TableDescriptor> tables, Map<String, Boolean> catalogue) {
    List<Finding> findings = new ArrayList<>();
    Map<String, TableDescriptor> byName = new TreeMap<>();
    tables.forEach(table -> byName.put(table.getTableName().getNameAsString(), table));
    byName.forEach(
        (name, table) -> judge(name, table, catalogue.get(name)).ifPresent(findings::add));
    catalogue.forEach(
        (name, transactional) -> {
          if (transactional && !byName.containsKey(name)) {
            findings.add(
                fail(
                    CHECK,
                    name,
                    "Phoenix's catalogue has it, and HBase does not",
                    "drop it in SQL, and create it again"));
          }
        });
    ClusterCheck.ofTables(tables).stream()
        .filter(finding -> finding.level() != Level.OK)
        .forEach(findings::add);
    return findings;
  }

  private static Optional<Finding> judge(
      String name, TableDescriptor table, @Nullable Boolean transactional) {
    if (isOmids(table)) {
      return Optional.of(
          fail(
              CHECK,
              name,
              "is a table of Omid's: statements on it fail, or see what Omid has left undecided",
              "copy its rows by a client with Omid into a file or a plain table, drop it, create it"
                  + " again by a client with Lampone's jar, and write them there"));
    }
    boolean ours = table.hasCoprocessor(TableSettings.COPROCESSOR);
    if (transactional == null) {
      return Optional.empty();
    }
    if (transactional && !ours && table.getValue(TableSettings.PHASE_KEY) == null) {
      return Optional.of(
          fail(
              CHECK,
              name,
              "is transactional in SQL, and a plain table in HBase: statements on it fail",
              "its DDL was run without Lampone's jar or master observer: create it again with both"));
    }
    if (!transactional && ours) {
      return Optional.of(
          warn(
              CHECK,
              name,
              "is transactional in HBase, and plain in SQL: statements on it are no transactions",
              "'lampone sql adopt "
                  + name
                  + "' makes it transactional, 'lampone table disable "
                  + name
                  + "' plain"));
    }
    return transactional ? plainClients(name, table) : Optional.empty();
  }

  /** Some of Phoenix's statements have no transaction: those of DDL. */
  private static Optional<Finding> plainClients(String name, TableDescriptor table) {
    Optional<TableSettings> settings;
    try {
      settings = TableSettings.of(table);
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // the other check of the descriptor says so
    }
    return settings
        .filter(found -> found.plainClients() != PlainClients.PHOENIX)
        .map(
            found ->
                warn(
                    CHECK,
                    name,
                    "its plain clients are "
                        + found.plainClients()
                        + ", with which DDL on it fails: CREATE INDEX, ALTER TABLE, UPDATE"
                        + " STATISTICS",
                    "'lampone sql adopt " + name + "'"));
  }

  private static boolean isOmids(TableDescriptor table) {
    return table.getCoprocessorDescriptors().stream()
        .anyMatch(each -> OMID.stream().anyMatch(each.getClassName()::startsWith));
  }
}
