package io.lampone.coprocessor;

import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** A transactional table as the client library sees it, without the client library. */
public final class TestTable {

  /** Stands in the place of the real observer, which it extends. */
  static final String OBSERVER = TestObserver.class.getName();

  /** One try of a read, with what the server sends. */
  @FunctionalInterface
  interface Attempt<T> {
    T run() throws IOException;
  }

  private final Connection connection;
  private final TableName name;

  public TestTable(Connection connection, String name) {
    this.connection = connection;
    this.name = TableName.valueOf(name);
  }

  public TableName name() {
    return name;
  }

  Connection connection() {
    return connection;
  }

  public void createPlain(byte[][] splits, String... families) throws IOException {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    for (String family : families) {
      table.setColumnFamily(
          ColumnFamilyDescriptorBuilder.newBuilder(Bytes.utf8(family).toArray())
              .setMaxVersions(Integer.MAX_VALUE)
              .setValue(TableRetention.VERSIONS_KEY, "1000")
              .build());
    }
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(table.build(), splits);
    }
  }

  public void enable(TableSettings settings) throws IOException {
    enable(settings, TableSettings.COPROCESSOR_PRIORITY);
  }

  /** Enables it with the observer at some other place in the chain, or moves it there. */
  public void enable(TableSettings settings, int priority) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(admin.getDescriptor(name));
      settings.applyTo(table);
      table.removeCoprocessor(OBSERVER);
      table.setCoprocessor(
          CoprocessorDescriptorBuilder.newBuilder(OBSERVER).setPriority(priority).build());
      admin.modifyTable(table.build());
    }
  }

  public RowFamily place(Bytes row, Bytes family) {
    return new RowFamily(name.getNameAsString(), row, family);
  }

  /** Sends a request until the server is ready for it. */
  public RegionReply send(RegionRequest request) throws IOException {
    try (Table table = connection.getTable(name)) {
      return retrying(
          () -> Carrier.reply(table.checkAndMutate(Carrier.checkAndMutate(request)).getResult()));
    }
  }

  /** With the statement of a transaction manager without a cluster key. */
  public static CommitLeader commit(long start, long floor, Bytes row, Bytes family, long commit) {
    return new CommitLeader(start, floor, row, family, commit, Proofs.OPEN.pass(start, commit));
  }

  Outcome sendOne(RegionRequest request) throws IOException {
    return send(request).outcomes().get(0);
  }

  Outcome leader(RowFamily place, long start, long floor) throws IOException {
    Get get = Carrier.leaderGet(place.row(), new LeaderReadRequest(start, floor, place.family()));
    try (Table table = connection.getTable(name)) {
      return retrying(() -> Carrier.reply(table.get(get)).outcomes().get(0));
    }
  }

  /** What the server of a row says of a transaction that was met there. */
  Outcome resolve(RowFamily met, Bytes qualifier, long start) throws IOException {
    LeaderReadRequest request = new LeaderReadRequest(start, 0, met.family());
    Get get = Carrier.resolveGet(met, qualifier, request);
    try (Table table = connection.getTable(name)) {
      return retrying(() -> Carrier.reply(table.get(get)).outcomes().get(0));
    }
  }

  /** The cells of a Get without its proof, which must be there. */
  public List<Cell> get(Get get, ReadRequest request) throws IOException {
    get.setAttribute(ReadRequest.ATTRIBUTE, request.encode());
    try (Table table = connection.getTable(name)) {
      return retrying(
          () -> {
            List<Cell> cells = new ArrayList<>(Arrays.asList(table.get(get).rawCells()));
            if (!cells.removeIf(Carrier::isProof)) {
              throw new IOException("no proof");
            }
            return cells;
          });
    }
  }

  /** The cells of each result of a scan. */
  List<List<Cell>> scan(Scan scan, ReadRequest request) throws IOException {
    scan.setAttribute(ReadRequest.ATTRIBUTE, request.encode());
    if (!scan.hasFamilies()) {
      scan.addFamily(Reserved.PROOF_FAMILY.toArray());
    }
    return retrying(() -> plainScan(connection, name, scan));
  }

  public static List<List<Cell>> plainScan(Connection connection, TableName name, Scan scan)
      throws IOException {
    try (Table table = connection.getTable(name);
        ResultScanner scanner = table.getScanner(new Scan(scan))) {
      List<List<Cell>> results = new ArrayList<>();
      // Not by its iterator, which hides what a refusal is.
      for (Result result = scanner.next(); result != null; result = scanner.next()) {
        results.add(Arrays.asList(result.rawCells()));
      }
      return results;
    }
  }

  static <T> T retrying(Attempt<T> attempt) throws IOException {
    for (int left = 200; ; left--) {
      try {
        return attempt.run();
      } catch (IOException e) {
        Refusal refusal = refusalIn(e);
        if (refusal == null
            || refusal.code().advice() != Refusal.Advice.SAME_REQUEST
            || left == 0) {
          throw e;
        }
        try {
          Thread.sleep(20);
        } catch (InterruptedException interrupted) {
          throw new IOException(interrupted);
        }
      }
    }
  }

  /** The refusal in the causes of {@code error}, or null. */
  public static Refusal refusalIn(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof RefusalException refusal) {
        return refusal.refusal();
      }
      if (String.valueOf(cause.getMessage()).contains("[lampone ")) {
        return Refusal.parse(cause.getMessage());
      }
    }
    return null;
  }

  static TableSettings enabled(ConflictLevel level, long floor) {
    return new TableSettings(TableSettings.Phase.ENABLED, level, floor);
  }
}
