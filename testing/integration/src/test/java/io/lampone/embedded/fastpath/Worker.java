package io.lampone.embedded.fastpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.FastPathResult.Committed;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.client.fastpath.RowRead;
import io.lampone.embedded.fastpath.CountedHistory.Snapshot;
import io.lampone.embedded.fastpath.CountedHistory.Write;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** One client that draws its operations at random, and records their outcomes. */
final class Worker {

  static final byte[] FAMILY = "f".getBytes(StandardCharsets.UTF_8);
  static final byte[] COLUMN = "n".getBytes(StandardCharsets.UTF_8);

  /** Unknown number left in a key by a write: its reply was lost. */
  static final long UNKNOWN = -1;

  private static final TransactionOptions SEVERAL = TransactionOptions.DEFAULT.withRetries(0);

  /** Allowed failures of an operation while servers die and others write the same rows. */
  private static final Set<Code> ALLOWED =
      Set.of(
          Code.CONFLICT,
          Code.ABORTED,
          Code.TIMEOUT,
          Code.SNAPSHOT_TOO_OLD,
          Code.BLOCKED,
          Code.MANAGER_UNAVAILABLE,
          Code.STORE_UNAVAILABLE);

  private final LamponeClient client;
  private final TableName table;
  private final List<String> keys;
  private final Random random;
  private final CountedHistory history;
  private final FastPathTable fast;
  // the highest number of a key that this client has seen: it must never see less
  private final Map<String, Long> known = new HashMap<>();
  // writes whose outcome is looked up at the end
  private final ConcurrentLinkedQueue<Doubt> doubts = new ConcurrentLinkedQueue<>();

  /** A write whose outcome is unknown. */
  private record Doubt(String kind, long start, Object id, List<String> keys) {}

  Worker(
      LamponeClient client,
      TableName table,
      List<String> keys,
      Random random,
      CountedHistory history) {
    this.client = client;
    this.table = table;
    this.keys = keys;
    this.random = random;
    this.history = history;
    this.fast = client.fastPath().table(table);
  }

  void run(BooleanSupplier goOn) throws IOException {
    while (goOn.getAsBoolean()) {
      try {
        step();
      } catch (CommitOutcomeUnknownException e) {
        throw new IllegalStateException("an unknown outcome that nobody has noted", e);
      } catch (LamponeException e) {
        // Not applied, or a read that got no answer: servers die here.
        assertThat(e.code()).as("%s", e).isIn(ALLOWED);
      }
    }
  }

  private void step() throws IOException {
    switch (random.nextInt(9)) {
      case 0 -> fastIncrement(key());
      case 1 -> fastReadAndWrite(key());
      case 2 -> fastTogether();
      case 3 -> fastBatch();
      case 4 -> transaction("one row", List.of(key()), TransactionOptions.DEFAULT);
      case 5 -> transaction("regular", some(), SEVERAL);
      case 6 -> transaction("regular by intents", some(), SEVERAL.withoutOneRegionCommit());
      case 7 -> snapshot();
      default -> fastReads();
    }
  }

  private String key() {
    return keys.get(random.nextInt(keys.size()));
  }

  private List<String> some() {
    TreeSet<String> chosen = new TreeSet<>();
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      chosen.add(key());
    }
    return List.copyOf(chosen);
  }

  private static byte[] row(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  private static Increment plusOne(String key) {
    return new Increment(row(key)).addColumn(FAMILY, COLUMN, 1);
  }

  private static long number(Result result) {
    byte[] value = result.getValue(FAMILY, COLUMN);
    return value == null ? 0 : Bytes.toLong(value);
  }

  private void fastIncrement(String key) throws IOException {
    try {
      committed("increment", List.of(key), fast.increment(plusOne(key)));
    } catch (CommitOutcomeUnknownException e) {
      doubt("increment", e.operations().get(0), List.of(key));
    }
  }

  private void fastReadAndWrite(String key) throws IOException {
    RowRead read = fast.readForUpdate(new Get(row(key)));
    long next = saw(key, number(read.result())) + 1;
    try {
      FastPathResult result =
          fast.putIf(
              new Put(row(key)).addColumn(FAMILY, COLUMN, Bytes.toBytes(next)), read.version());
      if (result instanceof Committed committed) {
        assertThat(committed.version()).isGreaterThan(read.version().timestamp());
        known.merge(key, next, Math::max);
        history.committed(new Write("read and write", 0, committed.version(), Map.of(key, next)));
      }
    } catch (CommitOutcomeUnknownException e) {
      doubt("read and write", e.operations().get(0), List.of(key));
    }
  }

  /** Writes two neighbours; refused where a region begins between them. */
  private void fastTogether() throws IOException {
    int first = random.nextInt(keys.size() - 1);
    List<String> two = List.of(keys.get(first), keys.get(first + 1));
    try {
      FastPathResult result =
          fast.applyTogether(two.stream().map(k -> FastPathOperation.of(plusOne(k))).toList());
      if (result instanceof Committed committed) {
        Map<String, Long> left = new TreeMap<>();
        two.forEach(key -> left.put(key, UNKNOWN));
        history.committed(new Write("together", 0, committed.version(), left));
      }
    } catch (CommitOutcomeUnknownException e) {
      doubt("together", e.operations().get(0), two);
    } catch (LamponeException e) {
      if (!String.valueOf(e.getMessage()).contains("in several regions")) {
        throw e;
      }
    }
  }

  private void fastBatch() throws IOException {
    List<String> chosen = some();
    List<FastPathResult> results;
    try {
      results = fast.applyAll(chosen.stream().map(k -> FastPathOperation.of(plusOne(k))).toList());
    } catch (CommitOutcomeUnknownException e) {
      for (int i = 0; i < chosen.size(); i++) {
        doubt("batch", e.operations().get(i), List.of(chosen.get(i)));
      }
      return;
    }
    for (int i = 0; i < chosen.size(); i++) {
      List<String> key = List.of(chosen.get(i));
      if (results.get(i) instanceof Committed committed) {
        committed("batch", key, committed);
      } else if (results.get(i) instanceof FastPathResult.Failed failed
          && failed.failure() instanceof CommitOutcomeUnknownException e) {
        doubt("batch", e.operations().get(0), key);
      }
    }
  }

  private void committed(String kind, List<String> key, Committed committed) {
    long left = committed.result().isEmpty() ? UNKNOWN : number(committed.result());
    known.merge(key.get(0), left, Math::max);
    history.committed(new Write(kind, 0, committed.version(), Map.of(key.get(0), left)));
  }

  private void transaction(String kind, List<String> chosen, TransactionOptions options)
      throws IOException {
    try (Transaction tx = client.begin(options);
        Table t = tx.table(table)) {
      Map<String, Long> left = new TreeMap<>();
      Map<String, Long> seen = new TreeMap<>();
      for (String key : chosen) {
        long number = saw(key, number(t.get(new Get(row(key)))));
        seen.put(key, number);
        left.put(key, number + 1);
        t.put(new Put(row(key)).addColumn(FAMILY, COLUMN, Bytes.toBytes(number + 1)));
      }
      String other = key();
      if (!seen.containsKey(other)) {
        seen.put(other, number(t.get(new Get(row(other)))));
      }
      history.seen(new Snapshot(tx.startTimestamp(), seen));
      try {
        tx.commit();
        left.forEach((key, number) -> known.merge(key, number, Math::max));
        history.committed(
            new Write(kind, tx.startTimestamp(), tx.commitTimestamp().orElseThrow(), left));
      } catch (CommitOutcomeUnknownException e) {
        doubts.add(new Doubt(kind, tx.startTimestamp(), e.transactionId().orElseThrow(), chosen));
      }
    }
  }

  private void snapshot() throws IOException {
    try (Transaction tx = client.readOnly();
        Table t = tx.table(table)) {
      Map<String, Long> seen = new TreeMap<>();
      Result[] results = t.get(keys.stream().map(key -> new Get(row(key))).toList());
      for (int i = 0; i < results.length; i++) {
        seen.put(keys.get(i), saw(keys.get(i), number(results[i])));
      }
      history.seen(new Snapshot(tx.startTimestamp(), seen));
    }
  }

  private void fastReads() throws IOException {
    List<String> chosen = some();
    List<Result> results = fast.getAll(chosen.stream().map(key -> new Get(row(key))).toList());
    for (int i = 0; i < results.size(); i++) {
      saw(chosen.get(i), number(results.get(i)));
    }
  }

  /** Requires that a session never sees less than it has seen or written. */
  private long saw(String key, long number) {
    assertThat(number)
        .as("a session went back, key=%s", key)
        .isGreaterThanOrEqualTo(known.getOrDefault(key, 0L));
    known.put(key, number);
    return number;
  }

  private void doubt(String kind, FastPathId id, List<String> chosen) {
    doubts.add(new Doubt(kind, 0, id, chosen));
  }

  /** Looks up unknown outcomes; returns their number. */
  int settle(LamponeClient asking) throws IOException {
    List<Doubt> open = new ArrayList<>(doubts);
    for (Doubt doubt : open) {
      TransactionOutcome outcome =
          doubt.id() instanceof FastPathId id
              ? asking.fastPath().outcome(id)
              : asking.status((TransactionId) doubt.id());
      if (outcome instanceof TransactionOutcome.Committed committed) {
        Map<String, Long> left = new TreeMap<>();
        doubt.keys().forEach(key -> left.put(key, UNKNOWN));
        history.committed(
            new Write(doubt.kind(), doubt.start(), committed.commitTimestamp(), left));
      }
    }
    return open.size();
  }
}
