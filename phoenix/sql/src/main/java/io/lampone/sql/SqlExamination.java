package io.lampone.sql;

import static io.lampone.cli.check.Finding.fail;
import static io.lampone.cli.check.Finding.ok;
import static io.lampone.cli.check.Finding.warn;

import io.lampone.cli.check.ClusterCheck;
import io.lampone.cli.check.Finding;
import io.lampone.cli.doctor.SqlDoctor;
import io.lampone.client.LamponeClient;
import io.lampone.phoenix.LamponePhoenix;
import io.lampone.protocol.time.SystemClock;
import io.lampone.sql.IndexComparison.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.phoenix.jdbc.PhoenixDatabaseMetaData;
import org.apache.phoenix.query.QueryServices;
import org.apache.phoenix.transaction.TransactionFactory;
import org.apache.phoenix.util.SchemaUtil;

/**
 * {@code lampone doctor --sql}. A problem that is found does not end it, unless what follows cannot
 * be asked. It makes no catalogue and upgrades none.
 */
public final class SqlExamination implements SqlDoctor {

  private static final String CLIENT = "sql client";
  private static final String PHOENIX = "phoenix";
  private static final String INDEX = "sql index";
  private static final String MANAGER = "manager";
  private static final int CALL_MILLIS = 10_000;

  private static final String CATALOGUE_TABLES =
      "SELECT DISTINCT TABLE_SCHEM, TABLE_NAME, TABLE_TYPE, TRANSACTION_PROVIDER FROM"
          + " SYSTEM.\"CATALOG\" WHERE COLUMN_NAME IS NULL AND COLUMN_FAMILY IS NULL AND TENANT_ID"
          + " IS NULL AND TABLE_TYPE IN ('u', 'i')";

  private final Supplier<String> oracle;

  /** Made by {@link java.util.ServiceLoader}. */
  public SqlExamination() {
    this(OmidOracle::address);
  }

  /**
   * @param oracle where Omid's clients look for their timestamp oracle
   */
  SqlExamination(Supplier<String> oracle) {
    this.oracle = oracle;
  }

  /** Tables of Phoenix's catalogue. */
  private record Catalogue(Map<String, Boolean> byHBaseName, TreeSet<String> transactional) {
    Catalogue() {
      this(new TreeMap<>(), new TreeSet<>());
    }
  }

  @Override
  public void examine(Configuration configuration, List<String> tables, Consumer<Finding> found)
      throws IOException {
    boolean installed = isInstalled(found);
    found.accept(enabled(configuration));
    ClusterCheck.ofServers(configuration, SystemClock.INSTANCE).forEach(found);
    Configuration impatient = new Configuration(configuration);
    impatient.setInt("hbase.client.retries.number", 2);
    impatient.setInt("hbase.rpc.timeout", CALL_MILLIS);
    impatient.setInt("hbase.client.operation.timeout", CALL_MILLIS);
    try (var hbase = ConnectionFactory.createConnection(impatient);
        Admin admin = hbase.getAdmin()) {
      PhoenixServers servers = new PhoenixServers(hbase);
      servers.jars().forEach(found);
      found.accept(SqlChecks.guard(SqlChecks.ofMaster(admin)));
      boolean begins = begins(configuration, found);
      OmidOracle.examine(oracle.get()).ifPresent(found);
      List<TableDescriptor> descriptors = admin.listTableDescriptors();
      Optional<TableName> name = catalogue(admin, configuration);
      if (name.isEmpty()) {
        found.accept(
            warn(
                PHOENIX,
                "",
                "has no catalogue here yet",
                "the first connection makes it; 'lampone sql' does, once the rest is in order"));
        SqlTables.judge(descriptors, Map.of()).forEach(found);
        return;
      }
      Finding version = servers.version(name.get());
      found.accept(version);
      if (!installed || version.level() == Finding.Level.FAIL) {
        SqlTables.judge(descriptors, Map.of()).forEach(found);
        return;
      }
      examineTables(configuration, descriptors, begins, tables, found);
    }
  }

  /** Finds out whether the service of the jar has replaced Phoenix's provider in this process. */
  private static boolean isInstalled(Consumer<Finding> found) {
    DriverManager.getDrivers();
    boolean installed = LamponePhoenix.isInstalled();
    found.accept(
        installed
            ? ok(CLIENT, "", "Phoenix's transactions are Lampone's in this process")
            : fail(
                CLIENT,
                "",
                "Phoenix's transactions are not Lampone's in this process, provider="
                    + TransactionFactory.Provider.OMID
                        .getTransactionProvider()
                        .getClass()
                        .getSimpleName(),
                "lampone-phoenix must be on the class path, with its"
                    + " META-INF/services/java.sql.Driver; call LamponePhoenix.install() before the"
                    + " first connection where no DriverManager is used: it says why it cannot"));
    return installed;
  }

  private static Finding enabled(Configuration configuration) {
    String name = QueryServices.TRANSACTIONS_ENABLED;
    return configuration.getBoolean(name, false)
        ? ok(CLIENT, "", name + " = true")
        : warn(
            CLIENT,
            "",
            name
                + " is not true in the hbase-site.xml of this command, whose commands set it"
                + " themselves",
            "set it in the hbase-site.xml of clients and servers: without it Phoenix refuses"
                + " TRANSACTIONAL=true");
  }

  private static boolean begins(Configuration configuration, Consumer<Finding> found) {
    try (LamponeClient client = LamponeClient.connect(configuration)) {
      client.begin().rollback();
      found.accept(ok(MANAGER, "", "begins transactions of this client"));
      return true;
    } catch (IOException | RuntimeException e) {
      found.accept(
          fail(
              MANAGER,
              "",
              "begins no transaction of this client: " + SqlChecks.firstLine(e),
              "'lampone check' looks at the transaction managers"));
      return false;
    }
  }

  private static Optional<TableName> catalogue(Admin admin, Configuration configuration)
      throws IOException {
    TableName name =
        SchemaUtil.getPhysicalTableName(
            PhoenixDatabaseMetaData.SYSTEM_CATALOG_NAME_BYTES, configuration);
    return admin.tableExists(name) ? Optional.of(name) : Optional.empty();
  }

  private static void examineTables(
      Configuration configuration,
      List<TableDescriptor> descriptors,
      boolean begins,
      List<String> tables,
      Consumer<Finding> found) {
    Configuration careful = new Configuration(configuration);
    careful.setBoolean(QueryServices.AUTO_UPGRADE_ENABLED, false);
    CommandConfiguration.use(careful);
    try (Connection connection = DriverManager.getConnection(CommandConfiguration.url())) {
      connection.setAutoCommit(false);
      Catalogue catalogue = read(connection, careful);
      SqlTables.judge(descriptors, catalogue.byHBaseName()).forEach(found);
      if (begins) {
        for (String table : tables) {
          compare(connection, table, table, found);
        }
        for (String table : tables.isEmpty() ? catalogue.transactional() : List.<String>of()) {
          compare(connection, table, SchemaUtil.getEscapedFullTableName(table), found);
        }
      }
    } catch (SQLException e) {
      var told = SqlChecks.explained(e);
      found.accept(fail(PHOENIX, "", String.valueOf(told.getMessage()), told.advice()));
    }
  }

  private static Catalogue read(Connection connection, Configuration configuration)
      throws SQLException {
    Catalogue catalogue = new Catalogue();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(CATALOGUE_TABLES)) {
      while (rows.next()) {
        boolean transactional = rows.getObject(4) != null;
        String full = SchemaUtil.getTableName(rows.getString(1), rows.getString(2));
        String physical =
            SchemaUtil.getPhysicalTableName(full.getBytes(StandardCharsets.UTF_8), configuration)
                .getNameAsString();
        boolean isIndex = "i".equals(rows.getString(3));
        if (!isIndex || transactional) {
          catalogue.byHBaseName().put(physical, transactional);
        }
        if (!isIndex && transactional) {
          catalogue.transactional().add(full);
        }
      }
    }
    return catalogue;
  }

  private static void compare(
      Connection connection, String table, String escaped, Consumer<Finding> found) {
    try {
      for (Result each : new IndexCheck(connection, escaped).run(null)) {
        found.accept(judge(table, each));
      }
      connection.commit();
    } catch (SQLException | RuntimeException e) {
      found.accept(
          fail(
              INDEX,
              table,
              "could not be compared with its indexes: " + SqlChecks.firstLine(e),
              "'lampone sql check-index " + table + "' once the other findings are cured"));
    }
  }

  private static Finding judge(String table, Result result) {
    String subject = table + "." + result.index();
    if (!result.compared()) {
      return warn(INDEX, subject, "is not compared, state=" + result.state(), result.advice());
    }
    return result.consistent()
        ? ok(INDEX, subject, result.rows() + " rows agree with the table")
        : fail(
            INDEX,
            subject,
            "does not agree with the table: missing "
                + result.missing()
                + ", surplus "
                + result.surplus()
                + ", different "
                + result.different(),
            "'lampone sql check-index "
                + table
                + " "
                + result.index()
                + "' shows rows; create the index under another name, then drop this one");
  }
}
