package io.lampone.phoenix;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.phoenix.execute.MutationState;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.jdbc.PhoenixDatabaseMetaData;
import org.apache.phoenix.schema.MetaDataClient;
import org.apache.phoenix.schema.PIndexState;
import org.apache.phoenix.schema.PTable;
import org.apache.phoenix.schema.PTableKey;
import org.apache.phoenix.schema.PTableType;
import org.apache.phoenix.schema.TableNotFoundException;
import org.apache.phoenix.schema.types.PDataType;
import org.apache.phoenix.util.MetaDataUtil;
import org.apache.phoenix.util.SchemaUtil;

/** State of a connection: Phoenix's catalogue as it reads it, and copies that its client keeps. */
final class SqlCatalogue {

  /** Limit of the rows of the catalogue that a statement changes at a time. */
  private static final int MOST_OF_A_STATEMENT = 100;

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

  /**
   * Refuses to fill an index with WHERE: Phoenix looks at that only on region servers, which have
   * no part in transactions, and writes all rows into it.
   */
  void requireWholeIndexes(PTable table) throws SQLException {
    Optional<PTable> last =
        connection.getTable(table.getName().getString()).getIndexes().stream()
            .filter(index -> index.getIndexState() == PIndexState.BUILDING)
            .max(Comparator.comparingLong(PTable::getTimeStamp));
    if (last.isPresent() && last.get().getIndexWhere() != null) {
      throw refused(
          "an index of a transactional table cannot have WHERE, it would hold all rows:"
              + " DROP INDEX "
              + last.get().getTableName()
              + " ON "
              + table.getName()
              + ", and create it without");
    }
  }

  /**
   * Refuses to make rows of a table with indexes mutable. Other clients, whose copies are older,
   * would write them without a look at the former index rows, and no new index refuses that.
   *
   * <p>Called when Phoenix has collected what a statement changes in the catalogue, and has sent
   * nothing.
   */
  void requireRowsStayImmutable() throws SQLException {
    MutationState unsent = connection.getMutationState();
    if (unsent.getNumRows() == 0 || unsent.getNumRows() > MOST_OF_A_STATEMENT) {
      return;
    }
    Pair<byte[], List<Mutation>> rows;
    try {
      rows = unsent.toMutations().next();
    } catch (RuntimeException e) {
      return; // of an application, which rolls back what is not accepted
    }
    String name = Bytes.toString(rows.getFirst()).replace(':', '.');
    if (!name.equals(PhoenixDatabaseMetaData.SYSTEM_CATALOG_NAME)) {
      return;
    }
    for (Mutation row : rows.getSecond()) {
      if (makesMutable(row)) {
        requireNoIndexesOfImmutable(row.getRow());
      }
    }
  }

  /** Returns true for the row of a table that exists whose rows become mutable. */
  private static boolean makesMutable(Mutation row) {
    boolean mutable = false;
    for (Cell cell : row.getFamilyCellMap().values().stream().flatMap(List::stream).toList()) {
      if (CellUtil.matchingQualifier(cell, PhoenixDatabaseMetaData.STORAGE_SCHEME_BYTES)) {
        return false; // of CREATE
      }
      mutable |=
          CellUtil.matchingQualifier(cell, PhoenixDatabaseMetaData.IMMUTABLE_ROWS_BYTES)
              && CellUtil.matchingValue(cell, PDataType.FALSE_BYTES);
    }
    return mutable;
  }

  private void requireNoIndexesOfImmutable(byte[] row) throws SQLException {
    byte[][] names = new byte[3][];
    SchemaUtil.getVarChars(row, names);
    String name = SchemaUtil.getTableName(names[1], names[2]);
    PTable table;
    try {
      table = copyOf(new PTableKey(connection.getTenantId(), name));
    } catch (TableNotFoundException e) {
      return;
    }
    if (table.isImmutableRows()
        && (!table.getIndexes().isEmpty()
            || MetaDataUtil.hasViewIndexTable(connection, table.getPhysicalName()))) {
      throw refused(
          "rows of a table with an index do not become mutable, other clients would leave old index"
              + " rows: drop its indexes before, and create others afterwards (never if it is of"
              + " several tenants, or its views have had indexes), table="
              + name);
    }
  }

  private static SQLException refused(String message) {
    return SqlFailures.of(new LamponeException(Code.BAD_REQUEST, 0, message));
  }
}
