package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

/** Which tables cannot be made transactional. */
class SchemaRulesTest {

  @Test
  void tablesOfHBasesOwnAreRefused() {
    for (String name : new String[] {"hbase:meta", "hbase:acl"}) {
      assertThatThrownBy(() -> SchemaRules.check(table(name)))
          .hasMessageContaining("HBase's own")
          .hasMessageContaining("table=" + name);
    }
    assertThat(SchemaRules.obstacles(table("meta"))).isEmpty();
    assertThat(SchemaRules.obstacles(table("hbase_:meta"))).isEmpty();
  }

  private static TableDescriptor table(String name) {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
        .build();
  }
}
