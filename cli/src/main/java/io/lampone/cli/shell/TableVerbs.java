package io.lampone.cli.shell;

import io.lampone.cli.CommandException;
import io.lampone.cli.ProgressBar;
import io.lampone.cli.TableAdministration;
import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeAdmin.TransactionalTable;
import io.lampone.client.LamponeAdmin.UnreadableTable;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** Commands that make tables transactional or plain. */
final class TableVerbs {

  private TableVerbs() {}

  static List<Verb> list() {
    return List.of(
        new Verb("list", "list", "Lists the transactional tables.", "list", TableVerbs::listTables),
        new Verb(
            "describe",
            "describe 'TABLE'",
            "Shows the settings of a table and its families.",
            "describe 'bank'",
            TableVerbs::describe),
        new Verb(
            "create",
            "create 'NAME', 'FAMILY' ... [, {LEVEL => 'ROW' | 'CELL', SPLITS => ['KEY', ...]}]",
            "Creates a transactional table. LEVEL: what two transactions must both write to be in"
                + " conflict; ROW unless given.",
            "create 'people', 'p', {LEVEL => 'CELL', SPLITS => ['m']}",
            TableVerbs::create),
        new Verb(
            "alter",
            "alter 'TABLE' [, 'FAMILY'], {TTL => SECONDS, CELL_TTL => true|false, KEEP_LONGER =>"
                + " SECONDS, PLAIN_CLIENTS => 'REFUSED' | 'FAST_PATH'}",
            "Changes the settings of a table, or of a family. Of a family: TTL (0: for ever) and"
                + " CELL_TTL; of a table: KEEP_LONGER and PLAIN_CLIENTS.",
            "alter 'people', 'p', {TTL => 86400}",
            TableVerbs::alter),
        new Verb(
            "enable",
            "enable 'NAME' [, {LEVEL => 'ROW' | 'CELL'}]",
            "Makes an existing table transactional. What it holds counts as committed long ago. LEVEL:"
                + " what the table has, else ROW, unless given.",
            "enable 'people'",
            TableVerbs::enable),
        new Verb(
            "disable",
            "disable 'TABLE'",
            "Makes a transactional table plain. Only its newest committed state stays.",
            "disable 'people'",
            TableVerbs::disable),
        new Verb(
            "drop",
            "drop 'TABLE' [, confirm]",
            "Deletes a table with all its rows. Asks first, or takes 'confirm' for an answer.",
            "drop 'people', confirm",
            TableVerbs::drop));
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

  private static void describe(ShellSession session, Arguments arguments) throws IOException {
    TableName name = arguments.table();
    arguments.end();
    TableDescriptor table = session.read(tx -> tx.table(name).getDescriptor());
    TableRetention retention = TableRetention.of(table);
    ShellOutput output = session.output();
    output.columns("TABLE", "SETTINGS");
    output.columns(
        " " + name.getNameAsString(),
        settings(table)
            .map(
                settings ->
                    "LEVEL="
                        + settings.level()
                        + ", PLAIN_CLIENTS="
                        + settings.plainClients()
                        + ", KEEP_LONGER="
                        + retention.extra().toSeconds()
                        + (settings.phase() == TableSettings.Phase.CHANGING ? ", changing" : ""))
            .orElse("a plain HBase table"));
    output.columns("FAMILY", "SETTINGS");
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      FamilyRetention rules = retention.of(Bytes.of(family.getName()));
      output.columns(
          " " + output.text(Bytes.of(family.getName())),
          "VERSIONS="
              + rules.versions()
              + ", MIN_VERSIONS="
              + rules.minVersions()
              + ", TTL="
              + (rules.lifetimeMillis() == FamilyRetention.FOREVER
                  ? "forever"
                  : rules.lifetimeMillis() / 1000.0 + " s")
              + ", CELL_TTL="
              + rules.cellLifetimes()
              + ", COMPRESSION="
              + family.getCompressionType());
    }
    output.lines(List.of());
  }

  private static Optional<TableSettings> settings(TableDescriptor table) {
    try {
      return TableSettings.of(table);
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          "the settings cannot be read: " + e.getMessage(), "'lampone doctor' says more", e);
    }
  }

  private static void alter(ShellSession session, Arguments arguments) throws IOException {
    session.requireIdle();
    TableName name = arguments.table();
    Optional<byte[]> family = arguments.optionalWord("the family").map(Bytes::toArray);
    Map<String, Argument> options =
        arguments.options(
            family.isPresent()
                ? List.of("TTL", "CELL_TTL")
                : List.of("KEEP_LONGER", "PLAIN_CLIENTS"));
    arguments.end();
    if (options.isEmpty()) {
      throw arguments.wrong("say what to change: {...}");
    }
    try (Reported reported = new Reported(session)) {
      TableAdministration tables = new TableAdministration(reported.admin);
      ConflictLevel level =
          tables
              .find(name)
              .orElseThrow(() -> arguments.wrong("not a transactional table: " + name))
              .level();
      for (Map.Entry<String, Argument> option : options.entrySet()) {
        String key = option.getKey();
        Bytes value = arguments.asWord(option.getValue(), key);
        switch (key) {
          case "TTL" ->
              reported.admin.expireAfter(
                  name, family.orElseThrow(), seconds(arguments, value, key));
          case "CELL_TTL" ->
              reported.admin.letCellsExpire(
                  name, family.orElseThrow(), arguments.asFlag(value, key));
          case "KEEP_LONGER" -> reported.admin.keepLonger(name, seconds(arguments, value, key));
          default -> reported.admin.enableTable(name, level, plainClients(arguments, value));
        }
      }
    }
    session.output().line("Altered table " + name.getNameAsString());
  }

  private static Duration seconds(Arguments arguments, Bytes value, String key) {
    long seconds = arguments.asNumber(value, key);
    if (seconds < 0 || seconds > LamponeAdmin.LONGEST_EXTRA.toSeconds()) {
      throw arguments.wrong(key + " must be in 0.." + LamponeAdmin.LONGEST_EXTRA.toSeconds());
    }
    return Duration.ofSeconds(seconds);
  }

  private static PlainClients plainClients(Arguments arguments, Bytes value) {
    return switch (value.toUtf8().toUpperCase(Locale.ROOT)) {
      case "REFUSED" -> PlainClients.REFUSED;
      case "FAST_PATH" -> PlainClients.FAST_PATH;
      default -> throw arguments.wrong("PLAIN_CLIENTS must be REFUSED or FAST_PATH");
    };
  }

  private static void enable(ShellSession session, Arguments arguments) throws IOException {
    session.requireIdle();
    TableName name = arguments.table();
    Map<String, Argument> options = arguments.options(List.of("LEVEL"));
    arguments.end();
    change(
        session,
        name,
        admin ->
            admin.enableTable(
                name,
                options.containsKey("LEVEL")
                    ? level(arguments, options)
                    : new TableAdministration(admin).levelOf(name)));
    session.output().line("Table " + name.getNameAsString() + " is transactional");
  }

  private static void disable(ShellSession session, Arguments arguments) throws IOException {
    session.requireIdle();
    TableName name = arguments.table();
    arguments.end();
    change(session, name, admin -> admin.disableTable(name));
    session.output().line("Table " + name.getNameAsString() + " is a plain HBase table");
  }

  private static void drop(ShellSession session, Arguments arguments) throws IOException {
    session.requireIdle();
    TableName name = arguments.table();
    Optional<String> confirmed = arguments.optionalWord("confirm").map(Bytes::toUtf8);
    arguments.end();
    if (confirmed.isPresent() && !confirmed.get().equals("confirm")) {
      throw arguments.wrong("only 'confirm' may follow the table");
    }
    String text = name.getNameAsString();
    if (confirmed.isEmpty() && !session.confirms("Delete table " + text + " with all its rows?")) {
      throw new CommandException(
          "not confirmed: nothing was deleted", "drop '" + text + "', confirm");
    }
    change(session, name, admin -> new TableAdministration(admin).drop(name, session.database()));
    session.output().line("Dropped table " + text);
  }

  /** Administration that reports its progress. */
  private static final class Reported implements AutoCloseable {
    private final ProgressBar bar;
    private final LamponeAdmin admin;

    Reported(ShellSession session) {
      bar = ProgressBar.of(session.notes(), SystemClock.INSTANCE);
      admin = session.database().admin().reportingTo(bar);
    }

    @Override
    public void close() {
      bar.close();
    }
  }

  /** See {@link TableAdministration#change}. */
  private interface Change {
    void make(LamponeAdmin admin) throws IOException;
  }

  private static void change(ShellSession session, TableName name, Change change)
      throws IOException {
    try (Reported reported = new Reported(session)) {
      new TableAdministration(reported.admin)
          .change(
              name,
              "enable",
              session.output()::line,
              () -> {
                change.make(reported.admin);
                return Boolean.TRUE;
              });
    }
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
