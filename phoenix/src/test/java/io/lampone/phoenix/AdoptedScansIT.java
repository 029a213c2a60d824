package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.update;

import io.lampone.phoenix.SqlCluster.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/** The same over an adopted table, whose columns are not encoded. */
class AdoptedScansIT extends UndecidedScansIT {

  AdoptedScansIT(Sql sql) {
    super(sql);
  }

  @Override
  void create(Connection connection, String table) throws SQLException {
    update(connection, "CREATE TABLE " + table + " COLUMN_ENCODED_BYTES=0");
    LamponePhoenix.adopt(connection, T);
  }
}
