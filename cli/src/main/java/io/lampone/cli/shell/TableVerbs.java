package io.lampone.cli.shell;

import io.lampone.cli.TableAdministration;
import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeAdmin.TransactionalTable;
import io.lampone.client.LamponeAdmin.UnreadableTable;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;

/** Commands that make tables transactional, and plain again. */
final class TableVerbs {

  private TableVerbs() {}

  static List<Verb> list() {
    return List.of(
        new Verb("tables", "tables", "Lists the transactional tables.", TableVerbs::listTables),
        new Verb(
            "create",
            "create 'TABLE', 'FAMILY' ... [, {LEVEL => 'ROW' | 'CELL', SPLITS => ['KEY', ...]}]",
            "Creates a transactional table. LEVEL: what two transactions must both write to be in"
                + " conflict; ROW unless given.",
            TableVerbs::create),
        new Verb(
            "enable",
            "enable 'TABLE' [, {LEVEL => 'ROW' | 'CELL'}]",
            "Makes an existing table transactional; what it holds counts as committed long ago. LEVEL:"
                + " what the table has, else ROW, unless given.",
            TableVerbs::enable),
        new Verb(
            "disable",
            "disable 'TABLE'",
            "Makes a transactional table plain: only its newest committed state stays.",
            TableVerbs::disable));
  }

  private static void listTables(ShellSession session, Arguments arguments) throws IOException {
    arguments.end();
    List<TransactionalTable> tables = session.database().admin().listTables();
    session.output().columns("TABLE", "LEVEL");
    for (TransactionalTable table : tables) {
      session
          .output()
          .columns(
              " " + table.name().getNameAsString(),
              table.level() + (table.changing() ? ", changing" : ""));
    }
    List<UnreadableTable> unreadable = session.database().admin().listUnreadableTables();
    for (UnreadableTable table : unreadable) {
      session.output().columns(" " + table.name().getNameAsString(), "broken: " + table.why());
    }
    int all = tables.size() + unreadable.size();
    session.output().line(all + (all == 1 ? " table" : " tables"));
  }

  private static void create(ShellSession session, Arguments arguments) throws IOException {
    session.requireIdle();
    TableName name = arguments.table();
    List<Bytes> families = arguments.words("a family");
    if (families.isEmpty()) {
      throw arguments.wrong("a table needs a family");
    }
    Map<String, Argument> options = arguments.options(List.of("LEVEL", "SPLITS"));
    arguments.end();
    List<Bytes> splits =
        options.containsKey("SPLITS")
            ? arguments.asWords(options.get("SPLITS"), "a split key")
            : List.of();
    new TableAdministration(session.database().admin())
        .create(name, families, level(arguments, options), splits);
    session.output().line("Created table " + name.getNameAsString());
  }

  private static void enable(ShellSession session, Arguments arguments) throws IOException {
    session.requireIdle();
    TableName name = arguments.table();
    Map<String, Argument> options = arguments.options(List.of("LEVEL"));
    arguments.end();
    LamponeAdmin admin = session.database().admin();
    ConflictLevel level =
        options.containsKey("LEVEL")
            ? level(arguments, options)
            : new TableAdministration(admin).levelOf(name);
    change(session, admin, name, () -> admin.enableTable(name, level));
    session.output().line("Table " + name.getNameAsString() + " is transactional");
  }

  private static void disable(ShellSession session, Arguments arguments) throws IOException {
    session.requireIdle();
    TableName name = arguments.table();
    arguments.end();
    LamponeAdmin admin = session.database().admin();
    change(session, admin, name, () -> admin.disableTable(name));
    session.output().line("Table " + name.getNameAsString() + " is a plain HBase table");
  }

  /** See {@link TableAdministration#change}. */
  private interface Change {
    void make() throws IOException;
  }

  private static void change(
      ShellSession session, LamponeAdmin admin, TableName name, Change change) throws IOException {
    new TableAdministration(admin)
        .change(
            name,
            "enable",
            session.output()::line,
            () -> {
              change.make();
              return Boolean.TRUE;
            });
  }

  private static ConflictLevel level(Arguments arguments, Map<String, Argument> options) {
    Argument given = options.get("LEVEL");
    if (given == null) {
      return ConflictLevel.ROW;
    }
    String name = arguments.asWord(given, "LEVEL").toUtf8().toUpperCase(Locale.ROOT);
    return switch (name) {
      case "ROW" -> ConflictLevel.ROW;
      case "CELL" -> ConflictLevel.CELL;
      default -> throw arguments.wrong("LEVEL must be ROW or CELL, not '" + name + "'");
    };
  }
}
