package io.lampone.phoenix;

import java.sql.SQLException;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.schema.MetaDataClient;
import org.apache.phoenix.schema.PTable;
import org.apache.phoenix.schema.PTableKey;
import org.apache.phoenix.schema.PTableType;
import org.apache.phoenix.schema.TableNotFoundException;
import org.apache.phoenix.util.SchemaUtil;

/** State of a connection: Phoenix's catalogue as it reads it, and copies that its client keeps. */
final class SqlCatalogue {

  private final PhoenixConnection connection;

  SqlCatalogue(PhoenixConnection connection) {
    this.connection = connection;
  }

  /** Returns true if the connection commits each statement. */
  boolean isAutoCommit() {
    try {
      return connection.getAutoCommit();
    } catch (SQLException e) {
      return false; // it is closed
    }
  }

  /** Returns true if Phoenix has rows of the connection that it has not sent. */
  boolean isUnsent() {
    return connection.getMutationState().toMutations().hasNext();
  }

  /** Returns the newest copy of a table that the client has. */
  PTable copyOf(PTableKey table) throws SQLException {
    return connection.getTableRef(table).getTable();
  }

  /**
   * Reads a table from the catalogue, as of the begin of the connection's transaction or later, and
   * renews the client's copy. A view inherits indexes from the copies of its ancestors, which are
   * read before.
   */
  PTable lookUp(PTable table) throws SQLException {
    if (table.getType() == PTableType.VIEW && table.getViewType() != PTable.ViewType.MAPPED) {
      lookUp(connection.getTable(table.getParentName().getString()));
    }
    String name = table.getName().getString();
    // Phoenix asks for what is newer than its copy, and no table is newer without an index.
    connection.removeTable(table.getTenantId(), name, null, table.getTimeStamp());
    PTable found =
        new MetaDataClient(connection)
            .updateCache(
                table.getTenantId(),
                SchemaUtil.getSchemaNameFromFullName(name),
                SchemaUtil.getTableNameFromFullName(name),
                true)
            .getTable();
    if (found == null) {
      throw new TableNotFoundException(name);
    }
    return found;
  }
}
