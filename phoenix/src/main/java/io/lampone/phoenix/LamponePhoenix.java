package io.lampone.phoenix;

import io.lampone.client.ClientMetrics;
import java.io.IOException;
import java.lang.reflect.Field;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.transaction.TransactionFactory;

/**
 * Puts Lampone in the place of Phoenix's transaction provider: its jars know Omid only, whose
 * constant is in the catalogue of every cluster. So the constant stays, and what it stands for is
 * replaced.
 */
public final class LamponePhoenix {

  /** Field of Phoenix's enum; it has had this name since Phoenix 5.0. */
  private static final String FIELD = "provider";

  private static final Duration CHECK_TIMEOUT = Duration.ofSeconds(10);

  private LamponePhoenix() {}

  /**
   * Does it, unless that is done. Called by itself where connections come from {@link
   * java.sql.DriverManager}; needed before the first connection where Phoenix's driver is called
   * directly.
   *
   * @throws IllegalStateException if this Java or this Phoenix does not let it be done
   */
  public static synchronized void install() {
    if (isInstalled()) {
      return;
    }
    try {
      Field field = TransactionFactory.Provider.class.getDeclaredField(FIELD);
      field.setAccessible(true);
      field.set(TransactionFactory.Provider.OMID, new PhoenixProvider());
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new IllegalStateException(
          "Lampone cannot take the place of Phoenix's transaction provider: Phoenix 5.2 is needed,"
              + " and from Java 26 on the option --enable-final-field-mutation=ALL-UNNAMED, cause="
              + e,
          e);
    }
    if (!isInstalled()) {
      throw new IllegalStateException(
          "Phoenix has kept its own transaction provider, provider="
              + TransactionFactory.Provider.OMID.getTransactionProvider());
    }
  }

  /** Returns true if Phoenix's transactions are Lampone's in this process. */
  public static boolean isInstalled() {
    return TransactionFactory.Provider.OMID.getTransactionProvider() instanceof PhoenixProvider;
  }

  /**
   * Checks that a connection's transactions are Lampone's, by beginning one.
   *
   * @param connection of Phoenix
   * @throws SQLException if they are not, or no transaction manager answers; the message says what
   *     to do
   */
  public static void check(Connection connection) throws SQLException {
    PhoenixClient client = client(connection);
    try {
      client.begin(CHECK_TIMEOUT).rollback();
    } catch (IOException e) {
      throw SqlFailures.of(e);
    }
  }

  /**
   * Makes a table of Phoenix transactional that was made without transactions. Its rows stay; its
   * indexes are dropped before, and created again afterwards. If it fails, it may be called again.
   *
   * @param connection of Phoenix
   * @param table as in SQL, with its schema
   * @throws SQLException if it cannot be done; the message says why
   */
  public static void adopt(Connection connection, String table) throws SQLException {
    PhoenixClient client = client(connection);
    try {
      new TableAdoption(
              connection.unwrap(PhoenixConnection.class),
              client.admin(),
              (PhoenixProvider) TransactionFactory.Provider.OMID.getTransactionProvider())
          .adopt(table);
    } catch (IOException e) {
      throw SqlFailures.of(e);
    }
  }

  /**
   * Returns the counts of calls of the servers, by all connections that share this one's session.
   *
   * @param connection of Phoenix
   */
  public static ClientMetrics metrics(Connection connection) throws SQLException {
    return client(connection).metrics();
  }

  /**
   * Returns the timestamps of the connection's latest transaction; under autocommit, of its latest
   * statement.
   *
   * @param connection of Phoenix
   */
  public static SqlTimestamps timestamps(Connection connection) throws SQLException {
    return client(connection).timestamps(connection.unwrap(PhoenixConnection.class));
  }

  private static PhoenixClient client(Connection connection) throws SQLException {
    return PhoenixClient.of(connection.unwrap(PhoenixConnection.class));
  }
}
