package io.lampone.phoenix;

import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.query.QueryConstants;
import org.apache.phoenix.query.QueryServices;
import org.apache.phoenix.query.QueryServicesOptions;
import org.apache.phoenix.schema.PTable;
import org.apache.phoenix.schema.PTableType;
import org.apache.phoenix.util.MetaDataUtil;
import org.apache.phoenix.util.SchemaUtil;

/**
 * Adoption of a table that Phoenix has made without transactions: its rows stay as they are, and
 * count as committed long ago. May be interrupted anywhere and repeated.
 *
 * <pre>
 *   plain --enable, plain clients PHOENIX--> closed to SQL --catalogue--> transactional
 *         --without Phoenix's observers of other indexes--> transactional
 * </pre>
 *
 * Phoenix changes its catalogue first, and does not take that back if HBase's master refuses the
 * table. So everything is checked before. Region servers refuse statements without a transaction,
 * also those of clients that do not know the catalogue's change yet.
 */
final class TableAdoption {

  /** Observers of the indexes of tables without transactions. */
  private static final List<String> INDEX_OBSERVERS =
      List.of(
          QueryConstants.INDEX_REGION_OBSERVER_CLASSNAME,
          QueryConstants.INDEXER_CLASSNAME,
          QueryConstants.GLOBAL_INDEX_CHECKER_CLASSNAME);

  /** Beginning of the names of Omid's observers, under Phoenix and without it. */
  private static final Pattern OMID =
      Pattern.compile("org\\.apache\\.(phoenix\\.coprocessor\\.Omid|omid\\.)");

  private static final String COPY =
      ": create another table with TRANSACTIONAL=true, and copy the rows by UPSERT SELECT";

  private final PhoenixConnection connection;
  private final LamponeAdmin administrator;
  private final PhoenixProvider provider;

  TableAdoption(
      PhoenixConnection connection, LamponeAdmin administrator, PhoenixProvider provider) {
    this.connection = connection;
    this.administrator = administrator;
    this.provider = provider;
  }

  /**
   * Adopts a table.
   *
   * @param name as in SQL, with its schema
   * @throws LamponeException if it cannot be adopted; then it is unchanged
   */
  void adopt(String name) throws SQLException, IOException {
    PTable table = connection.getTableNoCache(SchemaUtil.normalizeFullTableName(name));
    TableName physical = TableName.valueOf(table.getPhysicalName().getBytes());
    try (Admin hbase = connection.getQueryServices().getAdmin()) {
      Optional<String> obstacle = obstacle(table, hbase.getDescriptor(physical), hbase);
      if (obstacle.isPresent()) {
        throw new LamponeException(Code.BAD_REQUEST, 0, obstacle.get() + ", table=" + name);
      }
      administrator.enableTable(physical, ConflictLevel.ROW, PlainClients.PHOENIX);
      if (!table.isTransactional()) {
        provider.altering(() -> alter(table));
      }
      removeIndexObservers(hbase, hbase.getDescriptor(physical));
    }
  }

  private void alter(PTable table) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "ALTER TABLE "
              + SchemaUtil.getEscapedTableName(
                  table.getSchemaName().getString(), table.getTableName().getString())
              + " SET TRANSACTIONAL=true, TRANSACTION_PROVIDER='"
              + provider.getProvider()
              + "'");
    }
  }

  /** Phoenix does it with the change of the catalogue, unless it fails in between. */
  private static void removeIndexObservers(Admin hbase, TableDescriptor present)
      throws IOException {
    List<String> observers = INDEX_OBSERVERS.stream().filter(present::hasCoprocessor).toList();
    if (!observers.isEmpty()) {
      TableDescriptorBuilder changed = TableDescriptorBuilder.newBuilder(present);
      observers.forEach(changed::removeCoprocessor);
      hbase.modifyTable(changed.build());
    }
  }

  /** Returns what stands against the adoption; HBase's settings are checked by the enabling. */
  private Optional<String> obstacle(PTable table, TableDescriptor descriptor, Admin hbase)
      throws SQLException, IOException {
    if (table.getType() != PTableType.TABLE) {
      return Optional.of("only tables are adopted, with their views");
    }
    if (table.isTransactional() && !descriptor.hasCoprocessor(TableSettings.COPROCESSOR)
        || descriptor.getCoprocessorDescriptors().stream()
            .anyMatch(each -> OMID.matcher(each.getClassName()).lookingAt())) {
      return Optional.of(
          "the table is one of Omid's, or its DDL was run without Lampone: copy its rows by a client"
              + " with Omid into a table without transactions, and adopt that");
    }
    if (table.isTransactional()) {
      return Optional.empty();
    }
    if (!transactionsEnabled()) {
      return Optional.of(QueryServices.TRANSACTIONS_ENABLED + " is not true for this client");
    }
    if (!table.getIndexes().isEmpty()) {
      return Optional.of(
          "its indexes are not adopted: drop them, and create them again afterwards, indexes="
              + table.getIndexes().stream()
                  .map(index -> index.getTableName().getString())
                  .toList());
    }
    if (hbase.tableExists(
        TableName.valueOf(
            MetaDataUtil.getViewIndexPhysicalName(table.getPhysicalName().getBytes())))) {
      return Optional.of("its views or tenants have, or may have, indexes" + COPY);
    }
    if (table.getRowTimestampColPos() >= 0) { // Phoenix itself does not see the first column
      return Optional.of("a ROW_TIMESTAMP is no timestamp of a transaction" + COPY);
    }
    if (TableRetention.of(descriptor).isLimited()) {
      return Optional.of("its rows expire, which SQL transactions do not support" + COPY);
    }
    for (ColumnFamilyDescriptor family : descriptor.getColumnFamilies()) {
      if (family.getNameAsString().startsWith(QueryConstants.LOCAL_INDEX_COLUMN_FAMILY_PREFIX)) {
        return Optional.of("it has, or had, a local index" + COPY);
      }
      if (family.getTimeToLive() != HConstants.FOREVER) {
        return Optional.of(
            "its rows expire, which SQL transactions do not support: ALTER TABLE SET TTL="
                + HConstants.FOREVER
                + " before");
      }
    }
    return Optional.empty();
  }

  private boolean transactionsEnabled() {
    return connection
        .getQueryServices()
        .getProps()
        .getBoolean(
            QueryServices.TRANSACTIONS_ENABLED, QueryServicesOptions.DEFAULT_TRANSACTIONS_ENABLED);
  }
}
