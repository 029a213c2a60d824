package io.lampone.benchmarks.operations;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.benchmarks.report.Quartiles;
import io.lampone.cli.ScratchFolder;
import io.lampone.client.CausalToken;
import io.lampone.client.LamponeClient;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/**
 * Compares clients with metrics to clients with {@code lampone.client.metrics=false} and no log of
 * slow transactions, in short slices that alternate, on a cluster in this process. The controls
 * compare clients without metrics to each other.
 *
 * <pre>
 *   benchmarks/run metrics [rounds] [seconds of warm-up]
 * </pre>
 *
 * Prints a line of JSON: the median and quartiles of the ratio of each operation and its control.
 */
final class MetricsOverhead {

  private static final int VALUE_BYTES = 100;
  private static final int ROWS = 800;
  private static final int READS_OF_A_SLICE = 60;
  private static final int WRITES_OF_A_SLICE = 20;
  private static final int OPERATIONS = 5;
  private static final int DEFAULT_ROUNDS = 200;
  private static final int DEFAULT_WARM_UP_SECONDS = 60;

  private static final TransactionOptions BY_INTENTS =
      TransactionOptions.DEFAULT.withoutOneRegionCommit();

  private final TableName table;
  private final Content content;

  private MetricsOverhead(TableName table, Content content) {
    this.table = table;
    this.content = content;
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : DEFAULT_ROUNDS;
    int warmUp = args.length > 1 ? Integer.parseInt(args[1]) : DEFAULT_WARM_UP_SECONDS;
    try (ScratchFolder folder = ScratchFolder.create("lampone-bench");
        EmbeddedLampone cluster =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.path()).build())) {
      System.out.println(
          measure(cluster.configuration(), rounds, Duration.ofSeconds(warmUp), System.nanoTime()));
    }
  }

  static ObjectNode measure(Configuration configuration, int rounds, Duration warmUp, long seed)
      throws IOException, InterruptedException {
    Configuration without = new Configuration(configuration);
    without.set("lampone.client.metrics", "false");
    without.set("lampone.client.slow.transaction", "0");
    SystemClock clock = SystemClock.INSTANCE;
    try (ConnectionRotation on = ConnectionRotation.connect(configuration);
        ConnectionRotation off = ConnectionRotation.connect(without);
        BenchTables tables =
            BenchTables.create(
                off.first().plain(),
                off.first().regular().admin(),
                List.of(VALUE_BYTES),
                clock.wallMillis(),
                clock,
                false)) {
      Content content = new Content(Row.REGULAR_TEN, ROWS, VALUE_BYTES, seed);
      TableName table = tables.name(TableKind.TRANSACTIONAL, VALUE_BYTES);
      off.first()
          .regular()
          .run(
              tx -> {
                tx.table(table).put(content.all());
                return table;
              });
      // A get of the fast path may miss a recent commit of another client.
      CausalToken loaded = off.first().regular().causalToken();
      for (ConnectionRotation rotation : List.of(on, off)) {
        for (ConnectionRotation.Clients seat : rotation.all()) {
          seat.regular().observe(loaded);
        }
      }
      List<ReadsAtRest.Pair> pairs = new MetricsOverhead(table, content).pairs(on, off);
      List<Quartiles> ratios = new ReadsAtRest(clock, seed, rounds, warmUp).compare(pairs);
      ObjectNode line = new ObjectMapper().createObjectNode().put("rounds", rounds);
      for (int i = 0; i < pairs.size(); i++) {
        line.putArray(pairs.get(i).name())
            .add(ratios.get(i).lower())
            .add(ratios.get(i).median())
            .add(ratios.get(i).upper());
      }
      return line;
    }
  }

  /** Creates an operation for each client. */
  private interface Maker {
    ReadsAtRest.Read make(LamponeClient client);
  }

  private List<ReadsAtRest.Pair> pairs(ConnectionRotation on, ConnectionRotation off) {
    List<ReadsAtRest.Pair> pairs = new ArrayList<>();
    add(pairs, "fastGet", this::fastGet, READS_OF_A_SLICE, on, off);
    add(pairs, "readOne", this::readOne, READS_OF_A_SLICE, on, off);
    add(pairs, "writeOne", this::writeOne, WRITES_OF_A_SLICE, on, off);
    add(pairs, "tenInTwoRegions", this::ten, WRITES_OF_A_SLICE, on, off);
    return pairs;
  }

  private static void add(
      List<ReadsAtRest.Pair> pairs,
      String name,
      Maker maker,
      int size,
      ConnectionRotation on,
      ConnectionRotation off) {
    List<ReadsAtRest.Read> unit = ofAll(off, maker);
    pairs.add(new ReadsAtRest.Pair(name, ofAll(on, maker), unit, size));
    pairs.add(new ReadsAtRest.Pair(name + "Control", unit, unit, size));
  }

  private static List<ReadsAtRest.Read> ofAll(ConnectionRotation rotation, Maker maker) {
    return rotation.all().stream().map(seat -> maker.make(seat.regular())).toList();
  }

  private ReadsAtRest.Read fastGet(LamponeClient client) {
    FastPathTable rows = client.fastPath().table(table);
    return random -> content.require(rows.get(content.get(content.key(random.nextInt(ROWS)))));
  }

  private ReadsAtRest.Read readOne(LamponeClient client) {
    TransactionOptions readOnly = TransactionOptions.DEFAULT.asReadOnly();
    return random ->
        content.require(
            client.run(
                readOnly,
                tx -> tx.table(table).get(content.get(content.key(random.nextInt(ROWS))))));
  }

  private ReadsAtRest.Read writeOne(LamponeClient client) {
    return random ->
        client.run(
            tx -> {
              tx.table(table).put(content.put(content.key(random.nextInt(ROWS))));
              return table;
            });
  }

  private ReadsAtRest.Read ten(LamponeClient client) {
    return random ->
        client.run(
            BY_INTENTS,
            tx -> {
              Table rows = tx.table(table);
              for (int i = 0; i < OPERATIONS; i++) {
                content.require(rows.get(content.get(content.key(random.nextInt(ROWS)))));
                rows.put(content.put(content.key(random.nextInt(ROWS))));
              }
              return table;
            });
  }
}
