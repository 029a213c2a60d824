package io.lampone.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeAdmin.TransactionalTable;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code lampone table ...}. */
@Command(
    name = "table",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    description = "Makes tables transactional, and plain again.")
final class TableCommand implements Runnable {

  private static final String LEVEL_HELP =
      "What two transactions must both write to be in conflict: ${COMPLETION-CANDIDATES}."
          + " Default: ${DEFAULT-VALUE}.";

  @Spec CommandSpec spec;

  @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Shows stack traces.")
  boolean debug;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  TableCommand() {}

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "say what to do: create, enable, disable or list");
  }

  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      versionProvider = Versions.class,
      description = "Creates a transactional table.")
  int create(
      @Mixin ConnectionOptions connection,
      @Parameters(index = "0", paramLabel = "TABLE") String name,
      @Parameters(index = "1..*", arity = "1..*", paramLabel = "FAMILY") List<String> families,
      @Option(names = "--level", defaultValue = "ROW", description = LEVEL_HELP)
          ConflictLevel level,
      @Option(
              names = "--splits",
              split = ",",
              paramLabel = "KEY",
              description = "Where regions begin; commas between.")
          List<String> splits) {
    return administer(
        connection,
        admin -> {
          List<Bytes> keys = splits == null ? List.of() : splits.stream().map(Bytes::utf8).toList();
          new TableAdministration(admin)
              .create(table(name), families.stream().map(Bytes::utf8).toList(), level, keys);
          out().println("Created table " + name);
        });
  }

  @Command(
      name = "enable",
      mixinStandardHelpOptions = true,
      versionProvider = Versions.class,
      description = "Makes an existing table transactional without rewriting it.")
  int enable(
      @Mixin ConnectionOptions connection,
      @Parameters(paramLabel = "TABLE") String name,
      @Option(names = "--level", defaultValue = "ROW", description = LEVEL_HELP)
          ConflictLevel level) {
    return administer(
        connection,
        admin -> {
          admin.enableTable(table(name), level);
          out().println("Table " + name + " is transactional");
        });
  }

  @Command(
      name = "disable",
      mixinStandardHelpOptions = true,
      versionProvider = Versions.class,
      description = "Makes a transactional table plain; its newest committed state stays.")
  int disable(@Mixin ConnectionOptions connection, @Parameters(paramLabel = "TABLE") String name) {
    return administer(
        connection,
        admin -> {
          admin.disableTable(table(name));
          out().println("Table " + name + " is a plain HBase table");
        });
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      versionProvider = Versions.class,
      description = "Lists the transactional tables.")
  int list(
      @Mixin ConnectionOptions connection,
      @Option(names = "--json", description = "One JSON object a line.") boolean json) {
    return administer(connection, admin -> print(admin.listTables(), json));
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

  /** Something to be done with the administration of a cluster. */
  @FunctionalInterface
  private interface Work {
    void run(LamponeAdmin admin) throws IOException;
  }

  private int administer(ConnectionOptions connection, Work work) {
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    try (Database database = connection.connect(errors)) {
      work.run(database.admin());
      out().flush();
      return 0;
    } catch (IOException | RuntimeException e) {
      Failure.print(errors, e, debug);
      return 1;
    }
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  static TableName table(String name) {
    try {
      return TableName.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          "'" + name + "' cannot be the name of a table: " + e.getMessage(), "", e);
    }
  }
}
