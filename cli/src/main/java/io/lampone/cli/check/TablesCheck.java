package io.lampone.cli.check;

import static io.lampone.cli.check.Finding.fail;
import static io.lampone.cli.check.Finding.ok;
import static io.lampone.cli.check.Finding.warn;

import io.lampone.client.hbase.admin.SchemaReport;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** Check of the descriptors of transactional tables. */
final class TablesCheck {

  private static final String TABLE = "table";

  private TablesCheck() {}

  /**
   * Judges the tables.
   *
   * @param misplaced by table, the refusal of a region that rejects all requests because another
   *     coprocessor follows Lampone's
   * @param hidden number of tables that HBase does not show this user
   */
  static List<Finding> judge(
      List<TableDescriptor> tables, Map<String, String> misplaced, int hidden) {
    List<Finding> findings = new ArrayList<>();
    if (hidden > 0) {
      findings.add(
          warn(
              TABLE,
              "",
              "HBase shows a user only tables that the user may alter; hidden from this user: "
                  + hidden,
              "check them as a user with CREATE or ADMIN on them"));
    }
    misplaced.forEach(
        (table, answer) ->
            findings.add(
                fail(
                    TABLE,
                    table,
                    answer,
                    "give the other coprocessor a lower priority, in the table or in the region"
                        + " server's hbase-site.xml")));
    for (TableDescriptor table : tables) {
      judge(table).ifPresent(findings::add);
    }
    if (findings.isEmpty()) {
      findings.add(ok(TABLE, "", "none is transactional yet"));
    }
    return findings;
  }

  /** Returns a table's finding; none for a plain one, unless a conversion of it has begun. */
  private static Optional<Finding> judge(TableDescriptor table) {
    String name = table.getTableName().getNameAsString();
    Optional<CoprocessorDescriptor> observer =
        table.getCoprocessorDescriptors().stream()
            .filter(each -> each.getClassName().equals(TableSettings.COPROCESSOR))
            .findFirst();
    Optional<TableSettings> settings;
    try {
      settings = TableSettings.of(table);
    } catch (IllegalArgumentException e) {
      return Optional.of(
          fail(
              TABLE,
              name,
              "its settings cannot be read: " + e.getMessage(),
              "another version wrote them, or the descriptor was changed by hand"));
    }
    if (table.getValue(TableSettings.RESTORING_KEY) != null) {
      return Optional.of(
          warn(
              TABLE,
              name,
              "is being restored, or was left so: no transaction can use it",
              "if that 'lampone restore' has ended, repeat it, or drop the table"));
    }
    if (settings.isEmpty()) {
      return observer.map(
          each ->
              fail(
                  TABLE,
                  name,
                  "has the observer, and no settings: no transaction can use it, and plain clients"
                      + " meet nothing that keeps them out",
                  "'lampone table disable "
                      + name
                      + "' removes the observer, unless there are cells of transactions"));
    }
    if (observer.isEmpty()) {
      return Optional.of(
          fail(
              TABLE,
              name,
              "is said to be transactional, and lacks the observer",
              "the descriptor was changed: 'lampone table disable', then enable it again"));
    }
    return Optional.of(judge(name, table, settings.get(), observer.get()));
  }

  private static Finding judge(
      String name, TableDescriptor table, TableSettings settings, CoprocessorDescriptor observer) {
    List<String> deviations = SchemaReport.deviations(table);
    if (!deviations.isEmpty()) {
      return fail(
          TABLE,
          name,
          "its schema is not what a transactional table needs: " + String.join("; ", deviations),
          (settings.phase() == Phase.CHANGING ? repeat(name) + ". Then " : "")
              + "'lampone doctor "
              + name
              + "' says what each of it means, with --fix it sets what it can; the observer keeps"
              + " versions whatever the schema says");
    }
    if (observer.getPriority() != TableSettings.COPROCESSOR_PRIORITY) {
      return fail(
          TABLE,
          name,
          "other coprocessors may come behind ours, priority=" + observer.getPriority(),
          "'lampone table upgrade " + name + "' puts it behind all others");
    }
    if (settings.phase() == Phase.CHANGING) {
      return warn(TABLE, name, "is being enabled or disabled: writes are refused", repeat(name));
    }
    return ok(
        TABLE,
        name,
        "transactional, conflicts by "
            + settings.level()
            + (settings.fastPath() ? "" : ", fast path off")
            + ", plain clients "
            + settings.plainClients());
  }

  /** Returns the advice for a table that is being enabled or disabled. */
  private static String repeat(String name) {
    return "if the command that enables or disables it has ended, repeat it: it continues where it"
        + " ended; or 'lampone table enable "
        + name
        + "' opens it";
  }
}
