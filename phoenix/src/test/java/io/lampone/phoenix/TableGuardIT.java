package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Operations of HBase's administrators that the master observer refuses. */
@ExtendWith(SqlCluster.class)
@Timeout(600)
class TableGuardIT {

  private final SqlCluster.Sql sql;

  TableGuardIT(SqlCluster.Sql sql) {
    this.sql = sql;
  }

  @Test
  void aRegionOfATransactionalTableIsNotTruncated() throws Exception {
    TableName plain = TableName.valueOf("GUARDED_PLAIN");
    try (var hbase = ConnectionFactory.createConnection(sql.cluster().clientConfiguration());
        Admin admin = hbase.getAdmin();
        Connection connection = sql.connect(true)) {
      update(
          connection,
          "CREATE TABLE GUARDED (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR) TRANSACTIONAL=true");
      update(connection, "UPSERT INTO GUARDED VALUES (1, 'kept')");
      assertThatThrownBy(() -> admin.truncateRegion(region(admin, TableName.valueOf("GUARDED"))))
          .isInstanceOf(DoNotRetryIOException.class)
          .hasMessageContaining("a region of a transactional table cannot be truncated")
          .hasMessageContaining("table=GUARDED");
      assertThat(query(connection, "SELECT a FROM GUARDED")).containsExactly("kept");

      admin.createTable(
          TableDescriptorBuilder.newBuilder(plain)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
              .build());
      admin.truncateRegion(region(admin, plain));
    }
  }

  private static byte[] region(Admin admin, TableName table) throws Exception {
    return admin.getRegions(table).get(0).getRegionName();
  }
}
