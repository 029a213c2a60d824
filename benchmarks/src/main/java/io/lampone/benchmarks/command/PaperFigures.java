package io.lampone.benchmarks.command;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.fastpath.FastPath;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Figures 2 and 3 of the paper, step by step with three clients: T1 is a regular transaction, A and
 * B do one fast-path put each, x and y are in two regions.
 */
final class PaperFigures {

  static final TableName TABLE = TableName.valueOf("figures");

  /** Runs of each variant of Figure 2: reordering is a matter of chance. */
  static final int ROUNDS = 40;

  private static final byte[] FAMILY = bytes("f");
  private static final byte[] COLUMN = bytes("q");
  private static final String X = "x";
  private static final String Y = "y";

  private final LamponeClient reader;
  private final LamponeClient a;
  private final LamponeClient b;
  private int round;

  PaperFigures(LamponeClient reader, LamponeClient a, LamponeClient b) {
    this.reader = reader;
    this.a = a;
    this.b = b;
  }

  /** Action between the puts of A and B. */
  interface Between {
    void pass() throws IOException;
  }

  void createTable() throws IOException {
    reader
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW,
            bytes(Y));
    put(a.fastPath(), X, "old");
    put(b.fastPath(), Y, "old");
  }

  /**
   * Returns the number of rounds in which T1 saw B's put but not A's, which had returned before B's
   * began.
   */
  int reordered(FastPath first, Between between, FastPath second) throws IOException {
    int seen = 0;
    for (int i = 0; i < ROUNDS; i++) {
      String value = "round" + round++;
      // The server of y has its next versions from before T1 begins.
      put(b.fastPath(), Y, "old");
      try (Transaction t1 = reader.begin()) {
        get(t1, X);
        put(first, X, value);
        between.pass();
        put(second, Y, value);
        seen += get(t1, Y).equals(value) ? 1 : 0;
      }
    }
    return seen;
  }

  /** Clients A and B without causal messages between them. */
  int strangers() throws IOException {
    return reordered(a.fastPath(), () -> {}, b.fastPath());
  }

  /** One client in both roles. */
  int oneClient() throws IOException {
    return reordered(a.fastPath(), () -> {}, a.fastPath());
  }

  /** Client A passes its token to client B. */
  int token() throws IOException {
    return reordered(a.fastPath(), () -> b.observe(a.causalToken()), b.fastPath());
  }

  /** Client B with strict freshness, which sees all that has returned. */
  int strict() throws IOException {
    return reordered(a.fastPath(), () -> {}, b.fastPath().strict());
  }

  /** Figure 3: returns true if T1, which has read x, detects A's put of x when it writes x. */
  boolean conflictIsFound() throws IOException {
    String value = "figure3." + round++;
    try (Transaction t1 = reader.begin();
        Table table = t1.table(TABLE)) {
      get(t1, X);
      put(a.fastPath(), X, value);
      table.put(new Put(bytes(X)).addColumn(FAMILY, COLUMN, bytes("lost update")));
      t1.commit();
      return false;
    } catch (ConflictException e) {
      Result left = a.fastPath().table(TABLE).get(new Get(bytes(X)));
      return value.equals(new String(left.getValue(FAMILY, COLUMN), StandardCharsets.UTF_8));
    }
  }

  private static void put(FastPath path, String row, String value) throws IOException {
    path.table(TABLE).put(new Put(bytes(row)).addColumn(FAMILY, COLUMN, bytes(value)));
  }

  private static String get(Transaction transaction, String row) throws IOException {
    try (Table table = transaction.table(TABLE)) {
      Result result = table.get(new Get(bytes(row)));
      return new String(result.getValue(FAMILY, COLUMN), StandardCharsets.UTF_8);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
