package io.lampone.phoenix;

import io.lampone.client.LamponeClient;
import io.lampone.coprocessor.TableGuard;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One cluster with Phoenix on it for all test classes, and connections to it. */
public final class SqlCluster implements ParameterResolver {

  private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(30);
  private static final Namespace NAMESPACE = Namespace.create(SqlCluster.class);

  /** Started by the first class that asks, closed when the last test has ended. */
  static final class Sql implements AutoCloseable {

    private final Path folder;
    private final EmbeddedLampone cluster;

    Sql() {
      this(1);
    }

    Sql(int regionServers) {
      this(builder -> builder.regionServers(regionServers));
    }

    Sql(Consumer<EmbeddedHBaseConfig.Builder> settings) {
      try {
        folder = Files.createTempDirectory("lampone-sql");
        EmbeddedHBaseConfig.Builder builder =
            EmbeddedHBaseConfig.builder(folder)
                .masterCoprocessor(TableGuard.class)
                .masterCoprocessor(DescriptorReads.class)
                .setting("phoenix.transactions.enabled", "true")
                .setting(
                    "hbase.regionserver.wal.codec",
                    "org.apache.hadoop.hbase.regionserver.wal.IndexedWALEditCodec");
        settings.accept(builder);
        cluster = EmbeddedLampone.start(builder.build());
      } catch (IOException e) {
        throw new UncheckedIOException("the cluster of the tests does not start", e);
      }
    }

    EmbeddedLampone cluster() {
      return cluster;
    }

    /** A connection that commits by itself or not. */
    Connection connect(boolean autoCommit) throws SQLException {
      return connect(autoCommit, new Properties());
    }

    Connection connect(boolean autoCommit, Properties properties) throws SQLException {
      return connect("", autoCommit, properties);
    }

    /** A connection of a client of this name; the properties of its first one are the client's. */
    Connection connectAs(String client, boolean autoCommit, Properties properties)
        throws SQLException {
      return connect(":/hbase:" + client, autoCommit, properties);
    }

    private Connection connect(String suffix, boolean autoCommit, Properties properties)
        throws SQLException {
      properties.setProperty("phoenix.transactions.enabled", "true");
      Connection connection =
          DriverManager.getConnection(
              "jdbc:phoenix:" + cluster.hbase().zooKeeperConnectString() + suffix, properties);
      connection.setAutoCommit(autoCommit);
      return connection;
    }

    /** Refuses a table to transactions that have begun before. */
    void fence(TableName table) throws IOException {
      try (LamponeClient client = LamponeClient.connect(cluster.clientConfiguration())) {
        client.admin().fenceTable(table);
      }
    }

    /** The rows of a query: values separated by spaces. */
    static List<String> query(Connection connection, String sql) throws SQLException {
      try (Statement statement = connection.createStatement();
          ResultSet found = statement.executeQuery(sql)) {
        List<String> rows = new ArrayList<>();
        while (found.next()) {
          StringBuilder row = new StringBuilder();
          for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
            row.append(i == 1 ? "" : " ").append(found.getObject(i));
          }
          rows.add(row.toString());
        }
        return rows;
      }
    }

    static int update(Connection connection, String sql) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        return statement.executeUpdate(sql);
      }
    }

    @Override
    public void close() throws IOException {
      cluster.close();
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Sql.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
        .getOrComputeIfAbsent(Sql.class, type -> new Sql(), Sql.class);
  }
}
