package io.lampone.coprocessor;

import static io.lampone.coprocessor.FastTable.F;
import static io.lampone.coprocessor.FastTable.Q;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.Refusal.Code;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;

/**
 * The calls that an unmodified application of HBase makes, on a table whose rows a, b and c hold
 * "1", "2" and "3"; on b there is an intent that nobody has decided, which no call may show.
 */
final class PlainCalls {

  static final byte[] FAMILY = F.toArray();
  static final byte[] COLUMN = Q.toArray();
  static final byte[] NUMBER = {'n'};

  static final List<String> AS_IT_WAS = List.of("1", "3");

  private static final long A_TIMESTAMP = 5;

  private final TinyCluster cluster;
  private final Table plain;

  PlainCalls(TinyCluster cluster, Table plain) {
    this.cluster = cluster;
    this.plain = plain;
  }

  /** What an application gets from a call. */
  interface Body {
    Object run(PlainCalls site) throws Exception;
  }

  /**
   * A call.
   *
   * @param left what rows a and c hold after it
   */
  record Call(String name, Body body, Object result, List<String> left) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Call> all() {
    return Stream.of(reads(), puts(), deletes(), builds(), checks(), batches())
        .flatMap(calls -> calls);
  }

  private static Stream<Call> reads() {
    return Stream.of(
        new Call("get", t -> values(t.plain.get(new Get(row(1)))), List.of("1"), AS_IT_WAS),
        new Call("get of the intent", t -> t.get(2), List.of("2"), AS_IT_WAS),
        new Call("get of nothing", t -> t.get(9), List.of(), AS_IT_WAS),
        new Call(
            "multi-get",
            t -> values(t.plain.get(List.of(new Get(row(2)), new Get(row(9)), new Get(row(3))))),
            List.of("2", "3"),
            AS_IT_WAS),
        new Call(
            "exists",
            t ->
                List.of(
                    t.plain.exists(new Get(row(2))),
                    t.plain.exists(new Get(row(9))),
                    t.plain.exists(new Get(row(1)).addColumn(FAMILY, NUMBER))),
            List.of(true, false, false),
            AS_IT_WAS),
        new Call(
            "exists of several",
            t -> List.of(t.plain.exists(List.of(new Get(row(1)), new Get(row(9))))[1]),
            List.of(false),
            AS_IT_WAS),
        new Call("scan", t -> t.scan(new Scan()), List.of("1", "2", "3"), AS_IT_WAS),
        new Call(
            "scan reversed",
            t -> t.scan(new Scan().setReversed(true)),
            List.of("3", "2", "1"),
            AS_IT_WAS),
        new Call(
            "scan with a limit, one by one",
            t -> t.scan(new Scan().setLimit(2).setCaching(1)),
            List.of("1", "2"),
            AS_IT_WAS),
        new Call(
            "scan of a range with batches",
            t -> t.scan(new Scan().withStartRow(row(2)).setBatch(1).setMaxResultSize(1)),
            List.of("2", "3"),
            AS_IT_WAS),
        new Call(
            "scan with a filter",
            t -> t.scan(new Scan().setFilter(new PrefixFilter(row(2)))),
            List.of("2"),
            AS_IT_WAS));
  }

  private static Stream<Call> puts() {
    return Stream.of(
        new Call("put", t -> done(() -> t.plain.put(put(1, "x"))), true, List.of("x", "3")),
        new Call(
            "list of puts",
            t -> done(() -> t.plain.put(List.of(put(1, "x"), put(3, "y")))),
            true,
            List.of("x", "y")),
        new Call(
            "buffered mutator",
            t ->
                done(
                    () -> {
                      try (BufferedMutator mutator =
                          t.cluster.connection().getBufferedMutator(t.plain.getName())) {
                        mutator.mutate(put(1, "x"));
                        mutator.mutate(new Delete(row(3)));
                      }
                    }),
            true,
            List.of("x")),
        new Call(
            "put with a timestamp",
            t -> done(() -> t.plain.put(new Put(row(1)).addColumn(FAMILY, COLUMN, 5, value("x")))),
            Code.UNSUPPORTED,
            AS_IT_WAS));
  }

  private static Stream<Call> deletes() {
    return Stream.of(
        new Call(
            "delete of a row",
            t -> done(() -> t.plain.delete(new Delete(row(1)))),
            true,
            List.of("3")),
        new Call(
            "delete of a family",
            t -> done(() -> t.plain.delete(new Delete(row(1)).addFamily(FAMILY))),
            true,
            List.of("3")),
        new Call(
            "delete of a column",
            t -> done(() -> t.plain.delete(new Delete(row(1)).addColumns(FAMILY, COLUMN))),
            true,
            List.of("3")),
        // As in a transaction: a column has one version, so its newest is the column.
        new Call(
            "delete of the newest version",
            t -> done(() -> t.plain.delete(new Delete(row(1)).addColumn(FAMILY, COLUMN))),
            true,
            List.of("3")),
        new Call(
            "list of deletes",
            t ->
                done(
                    () ->
                        t.plain.delete(
                            new ArrayList<>(List.of(new Delete(row(1)), new Delete(row(3)))))),
            true,
            List.of()));
  }

  private static Stream<Call> builds() {
    return Stream.of(
        new Call(
            "increment",
            t ->
                List.of(
                    t.plain.incrementColumnValue(row(4), FAMILY, NUMBER, 5),
                    t.plain.incrementColumnValue(row(4), FAMILY, NUMBER, -2)),
            List.of(5L, 3L),
            AS_IT_WAS),
        new Call(
            "increment without a result",
            t ->
                t.plain
                    .increment(
                        new Increment(row(4)).addColumn(FAMILY, NUMBER, 1).setReturnResults(false))
                    .isEmpty(),
            true,
            AS_IT_WAS),
        new Call(
            "append",
            t -> values(t.plain.append(new Append(row(1)).addColumn(FAMILY, COLUMN, value("x")))),
            List.of("1x"),
            List.of("1x", "3")));
  }

  private static Stream<Call> checks() {
    return Stream.of(
        new Call(
            "checkAndMutate that holds",
            t -> t.check(1, "1", put(1, "x")),
            true,
            List.of("x", "3")),
        new Call(
            "checkAndMutate that does not", t -> t.check(1, "2", put(1, "x")), false, AS_IT_WAS),
        new Call(
            "checkAndMutate with a delete",
            t -> t.check(1, "1", new Delete(row(1))),
            true,
            List.of("3")),
        new Call(
            "checkAndMutate with a timestamp",
            t ->
                t.check(
                    3, "3", RowMutations.of(List.of(put(3, "y"), new Delete(row(3), A_TIMESTAMP)))),
            Code.UNSUPPORTED,
            AS_IT_WAS),
        new Call(
            "checkAndMutate with RowMutations",
            t ->
                t.check(
                    3,
                    "3",
                    RowMutations.of(
                        List.of(put(3, "y"), new Delete(row(3)).addColumns(FAMILY, NUMBER)))),
            true,
            List.of("1", "y")),
        new Call(
            "checkAndMutate of several rows",
            t ->
                t
                    .plain
                    .checkAndMutate(
                        List.of(ifEquals(1, "1", put(1, "x")), ifEquals(3, "1", put(3, "y"))))
                    .stream()
                    .map(r -> r.isSuccess())
                    .toList(),
            List.of(true, false),
            List.of("x", "3")));
  }

  private static Stream<Call> batches() {
    return Stream.of(
        new Call(
            "mutateRow",
            t ->
                done(
                    () ->
                        t.plain.mutateRow(
                            RowMutations.of(
                                List.of(
                                    put(1, "x"), new Delete(row(1)).addColumns(FAMILY, NUMBER))))),
            true,
            List.of("x", "3")),
        new Call(
            "mixed batch",
            t -> {
              Object[] results = new Object[6];
              t.plain.batch(
                  List.of(
                      put(1, "x"),
                      new Get(row(2)),
                      new Increment(row(4)).addColumn(FAMILY, NUMBER, 7),
                      new Delete(row(3)),
                      new Append(row(5)).addColumn(FAMILY, NUMBER, value("z")),
                      RowMutations.of(List.of(put(6, "m")))),
                  results);
              List<Object> all = new ArrayList<>(values((Result) results[1]));
              all.add(
                  org.apache.hadoop.hbase.util.Bytes.toLong(
                      ((Result) results[2]).getValue(FAMILY, NUMBER)));
              all.addAll(values((Result) results[4]));
              all.addAll(t.get(6));
              return all;
            },
            List.of("2", 7L, "z", "m"),
            List.of("x")),
        new Call("bulk load", t -> done(t::bulkLoad), Code.PLAIN_CLIENT, AS_IT_WAS));
  }

  /** Something to be done. */
  interface Action {
    void run() throws Exception;
  }

  private static Object done(Action action) throws Exception {
    action.run();
    return true;
  }

  List<String> left() throws IOException {
    List<String> all = new ArrayList<>(get(1));
    all.addAll(get(3));
    return all;
  }

  List<String> get(int row) throws IOException {
    return values(plain.get(new Get(row(row)).addColumn(FAMILY, COLUMN)));
  }

  private List<String> scan(Scan scan) throws IOException {
    List<String> all = new ArrayList<>();
    try (ResultScanner scanner = plain.getScanner(scan)) {
      for (Result result : scanner) {
        all.addAll(values(result));
      }
    }
    return all;
  }

  private void bulkLoad() throws IOException {
    FileSystem files = FileSystem.get(cluster.settings());
    Path folder = new Path(cluster.settings().get("hbase.tmp.dir"), "bulk-" + System.nanoTime());
    Path file = new Path(new Path(folder, "f"), "file");
    try (HFile.Writer writer =
        HFile.getWriterFactory(cluster.settings(), new CacheConfig(cluster.settings()))
            .withPath(files, file)
            .withFileContext(new HFileContextBuilder().build())
            .create()) {
      writer.append(new KeyValue(row(1), FAMILY, COLUMN, 5, value("loaded")));
    }
    BulkLoadHFiles.create(cluster.settings()).bulkLoad(plain.getName(), folder);
  }

  private boolean check(int row, String expected, Put put) throws IOException {
    return plain.checkAndMutate(ifEquals(row, expected, put)).isSuccess();
  }

  private boolean check(int row, String expected, Delete delete) throws IOException {
    return plain
        .checkAndMutate(
            CheckAndMutate.newBuilder(row(row))
                .ifMatches(FAMILY, COLUMN, CompareOperator.EQUAL, value(expected))
                .build(delete))
        .isSuccess();
  }

  private boolean check(int row, String expected, RowMutations mutations) throws IOException {
    return plain
        .checkAndMutate(
            CheckAndMutate.newBuilder(row(row))
                .ifEquals(FAMILY, COLUMN, value(expected))
                .build(mutations))
        .isSuccess();
  }

  static CheckAndMutate ifEquals(int row, String expected, Put put) {
    return CheckAndMutate.newBuilder(row(row)).ifEquals(FAMILY, COLUMN, value(expected)).build(put);
  }

  static List<String> values(Result... results) {
    List<String> all = new ArrayList<>();
    for (Result result : results) {
      for (Cell cell : result.rawCells()) {
        all.add(Bytes.wrap(org.apache.hadoop.hbase.CellUtil.cloneValue(cell)).toUtf8());
      }
    }
    return all;
  }

  static Put put(int row, String text) {
    return new Put(row(row)).addColumn(FAMILY, COLUMN, value(text));
  }

  static byte[] row(int number) {
    return new byte[] {(byte) ('a' + number - 1)};
  }

  static byte[] value(String text) {
    return Bytes.utf8(text).toArray();
  }
}
