package io.lampone.examples;

import io.lampone.client.LamponeClient;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.client.fastpath.RowRead;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.util.Bytes;

/** Transactions of one row, in one round trip each and without the transaction manager. */
public final class FastPathCounter {

  private FastPathCounter() {}

  public static void main(String... args) throws IOException {
    try (LamponeClient client = ExampleTable.connect(args)) {
      System.out.println(run(client));
    }
  }

  /** Returns the counter after two increments and one conditional write. */
  static String run(LamponeClient client) throws IOException {
    TableName counters = ExampleTable.create(client, "fast-counters");
    FastPathTable table = client.fastPath().table(counters);
    table.put(ExampleTable.put("clicks", 0));
    for (int i = 0; i < 2; i++) {
      table.increment(
          new Increment(Bytes.toBytes("clicks"))
              .addColumn(ExampleTable.FAMILY, ExampleTable.VALUE, 1));
    }
    RowRead read;
    FastPathResult written;
    do {
      read = table.readForUpdate(ExampleTable.get("clicks"));
      long doubled = 2 * ExampleTable.number(read.result());
      written = table.putIf(ExampleTable.put("clicks", doubled), read.version());
    } while (!written.isCommitted()); // another client was faster: read again
    return "clicks=" + ExampleTable.number(table.get(ExampleTable.get("clicks")));
  }
}
