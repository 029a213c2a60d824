package io.lampone.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.shell.Database;
import io.lampone.cli.shell.TableVerb;
import io.lampone.client.AdoptionReport;
import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeAdmin.TransactionalTable;
import io.lampone.client.LamponeAdmin.UnreadableTable;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code lampone table ...}. */
@Command(name = "table", description = "Makes tables transactional, and plain again.")
public final class TableCommand implements Runnable {

  private static final int FOUND = 3;

  private static final String LEVEL_HELP =
      "What two transactions must both write to be in conflict: ${COMPLETION-CANDIDATES}.";

  @Spec CommandSpec spec;

  @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Shows stack traces.")
  boolean debug;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "say what to do: create, enable, disable, fence, keep-longer, upgrade or list");
  }

  @Command(name = "create", description = "Creates a transactional table.")
  int create(
      @Mixin TableVerb verb,
      @Parameters(
              index = "1..*",
              arity = "1..*",
              paramLabel = "FAMILY",
              description = "Its column families.")
          List<String> families,
      @Option(
              names = "--level",
              paramLabel = "ROW|CELL",
              defaultValue = "ROW",
              description = LEVEL_HELP + " Default: ${DEFAULT-VALUE}.")
          ConflictLevel level,
      @Option(
              names = "--splits",
              split = ",",
              paramLabel = "KEY",
              description = "Where regions begin; commas between.")
          List<String> splits) {
    return administer(
        verb.connection,
        admin -> {
          List<Bytes> keys = splits == null ? List.of() : splits.stream().map(Bytes::utf8).toList();
          new TableAdministration(admin)
              .create(table(verb.name), families.stream().map(Bytes::utf8).toList(), level, keys);
          return done(verb, "created", "Created table " + verb.name);
        });
  }

  @Command(
      name = "enable",
      description = {
        "Makes an existing table transactional without rewriting it. What it holds counts as"
            + " committed long ago.",
        "Each region is reopened twice; in between plain clients are refused, or come again."
            + " Interrupted, it may be given again, or undone by 'disable'."
      },
      footer = {
        "",
        "Exit codes: 0 done, or nothing stands against it; 1 failed, and the message says what to"
            + " do; 2 wrong options; 3 --dry-run found what stands against it."
      })
  int enable(
      @Mixin TableVerb verb,
      @Option(
              names = "--level",
              paramLabel = "ROW|CELL",
              description = LEVEL_HELP + " Default: what the table has, else ROW.")
          @Nullable ConflictLevel level,
      @Option(
              names = "--plain-clients",
              description =
                  "What plain HBase clients may do then: ${COMPLETION-CANDIDATES}. Default: what"
                      + " the table says, else refused.")
          @Nullable PlainClients plainClients,
      @Option(
              names = "--dry-run",
              description =
                  "Reads the table, and says what would change and what stands against it.")
          boolean dryRun) {
    return change(
        verb,
        admin -> {
          if (dryRun) {
            AdoptionReport report = admin.inspectTable(table(verb.name));
            new AdoptionOutput(out()).print(report, verb.json);
            return report.obstacles().isEmpty() ? 0 : FOUND;
          }
          ConflictLevel wanted =
              level == null ? new TableAdministration(admin).levelOf(table(verb.name)) : level;
          if (plainClients == null) {
            admin.enableTable(table(verb.name), wanted);
          } else {
            admin.enableTable(table(verb.name), wanted, plainClients);
          }
          return done(verb, "enabled", "Table " + verb.name + " is transactional");
        });
  }

  @Command(
      name = "disable",
      description = {
        "Makes a transactional table plain; its newest committed state stays.",
        "Transactions that are writing to it are aborted. Its families say to HBase again what they"
            + " said before of versions and TTL. Interrupted, it may be given again."
      })
  int disable(@Mixin TableVerb verb) {
    return change(
        verb,
        admin -> {
          admin.disableTable(table(verb.name));
          return done(verb, "disabled", "Table " + verb.name + " is a plain HBase table");
        });
  }

  @Command(
      name = "fence",
      description = {
        "Refuses reads and writes of all transactions that have begun before.",
        "For a table that HBase's restore_snapshot or clone_snapshot has brought back: what they"
            + " have read may be gone."
      })
  int fence(@Mixin TableVerb verb) {
    return administer(
        verb.connection,
        admin -> {
          admin.fenceTable(table(verb.name));
          return done(verb, "fenced", "Table " + verb.name + " is fenced");
        });
  }

  @Command(
      name = "keep-longer",
      description = {
        "Keeps old versions of a table longer than the cluster does: its snapshots stay readable"
            + " for the retention of the cluster and so many seconds. 0 ends it.",
        "That holds for snapshots that begin an hour after this command, or later: older ones may"
            + " be collected meanwhile."
      })
  int keepLonger(
      @Mixin TableVerb verb,
      @Parameters(
              index = "1",
              paramLabel = "SECONDS",
              description = "How much longer than the cluster, up to ten years.")
          long seconds) {
    if (seconds < 0 || seconds > LamponeAdmin.LONGEST_EXTRA.toSeconds()) {
      throw new ParameterException(
          spec.commandLine(),
          "SECONDS must be in 0.." + LamponeAdmin.LONGEST_EXTRA.toSeconds() + ", not " + seconds);
    }
    return administer(
        verb.connection,
        admin -> {
          admin.keepLonger(table(verb.name), Duration.ofSeconds(seconds));
          return done(
              verb,
              "kept-longer",
              "Table "
                  + verb.name
                  + " keeps old versions "
                  + seconds
                  + " s longer than the cluster");
        });
  }

  @Command(
      name = "upgrade",
      description = {
        "Puts Lampone's coprocessor behind all others of a table, where an older version has put it"
            + " before them. Reopens the regions of such tables; transactions go on."
      })
  int upgrade(
      @Mixin ConnectionOptions connection,
      @Parameters(arity = "0..*", paramLabel = "TABLE", description = "Which tables.")
          @Nullable List<String> names,
      @Option(names = "--all", description = "All transactional tables.") boolean all,
      @Option(names = "--json", description = "One JSON object a line.") boolean json) {
    if (all == (names != null)) {
      throw new ParameterException(spec.commandLine(), "name tables, or say --all");
    }
    return administer(
        connection,
        admin -> {
          List<TableName> tables =
              names == null
                  ? admin.listTables().stream().map(TransactionalTable::name).toList()
                  : names.stream().map(TableCommand::table).toList();
          for (TableName table : tables) {
            boolean upgraded = admin.upgradeTable(table);
            out()
                .println(
                    json
                        ? new ObjectMapper()
                            .createObjectNode()
                            .put("table", table.getNameAsString())
                            .put("upgraded", upgraded)
                        : table + (upgraded ? " upgraded" : " is up to date"));
          }
          return 0;
        });
  }

  @Command(name = "list", description = "Lists the transactional tables.")
  int list(
      @Mixin ConnectionOptions connection,
      @Option(names = "--json", description = "One JSON object a line.") boolean json) {
    return administer(
        connection,
        admin -> {
          print(admin.listTables(), json);
          printUnreadable(admin.listUnreadableTables(), json);
          return 0;
        });
  }

  private void print(List<TransactionalTable> tables, boolean json) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    for (TransactionalTable table : tables) {
      if (json) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("table", table.name().getNameAsString());
        line.put("level", table.level().name());
        line.put("changing", table.changing());
        out().println(mapper.writeValueAsString(line));
      } else {
        out()
            .println(
                table.name().getNameAsString()
                    + " "
                    + table.level()
                    + (table.changing() ? " changing" : ""));
      }
    }
  }

  private void printUnreadable(List<UnreadableTable> tables, boolean json) {
    for (UnreadableTable table : tables) {
      String name = table.name().getNameAsString();
      out()
          .println(
              json
                  ? new ObjectMapper()
                      .createObjectNode()
                      .put("table", name)
                      .put("broken", table.why())
                  : name + " broken: " + table.why());
    }
  }

  /** Action with the administration of a cluster. */
  @FunctionalInterface
  private interface Work {
    int run(LamponeAdmin admin) throws IOException;
  }

  /** Work that closes a table to writers until it is done. */
  private int change(TableVerb verb, Work work) {
    return administer(
        verb.connection,
        admin ->
            new TableAdministration(admin)
                .change(
                    table(verb.name),
                    "lampone table enable " + verb.name,
                    spec.commandLine().getErr()::println,
                    () -> work.run(admin)));
  }

  private int administer(ConnectionOptions connection, Work work) {
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    try (Database database = connection.connect(errors);
        ProgressBar bar = ProgressBar.of(errors, SystemClock.INSTANCE)) {
      int exitCode = work.run(database.admin().reportingTo(bar));
      bar.close();
      out().flush();
      return exitCode;
    } catch (IOException | RuntimeException e) {
      Failure.print(errors, e, debug);
      return 1;
    }
  }

  /** Reports completion. */
  private int done(TableVerb verb, String what, String text) {
    out()
        .println(
            verb.json
                ? new ObjectMapper().createObjectNode().put("table", verb.name).put("done", what)
                : text);
    return 0;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  public static TableName table(String name) {
    try {
      return TableName.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          "'" + name + "' cannot be the name of a table: " + e.getMessage(), "", e);
    }
  }
}
