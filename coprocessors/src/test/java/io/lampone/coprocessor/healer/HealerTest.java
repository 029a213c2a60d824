package io.lampone.coprocessor.healer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.coprocessor.core.healing.FollowerSearch;
import io.lampone.coprocessor.core.healing.HealingStore;
import io.lampone.coprocessor.core.healing.Settlement;
import io.lampone.coprocessor.healer.Healer.Parts;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The healer of a server that has regions of several tables. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
final class HealerTest {

  private static final long START = Timestamps.tick(1L << 60);
  private static final long COMMIT = START + Timestamps.TICK;
  private static final byte[] F = "f".getBytes(UTF_8);
  private static final RowFamily LEADER =
      new RowFamily("elsewhere", Bytes.utf8("leader"), Bytes.wrap(F));

  /** Far more regions than one: in whatever order they come, some are behind the bad ones. */
  private static final int MANY = 20;

  private static final List<RowFamily> ILLEGAL =
      List.of(
          new RowFamily("", Bytes.utf8("r"), Bytes.wrap(F)),
          new RowFamily(":", Bytes.utf8("r"), Bytes.wrap(F)),
          new RowFamily("no table\n", Bytes.utf8("r"), Bytes.wrap(F)),
          new RowFamily("../../x", Bytes.utf8("r"), Bytes.wrap(F)),
          new RowFamily("hbase:meta", Bytes.utf8("r"), Bytes.wrap(F)),
          new RowFamily("t", Bytes.EMPTY, Bytes.wrap(F)));

  /** What has been added to the system's clock. */
  private final AtomicLong time = new AtomicLong();

  private final Store store = new Store();
  private final LocalVersionClock versions = new LocalVersionClock();
  private final HealerCounts counts = new HealerCounts();

  @Test
  void aTableThatCannotBeReadDoesNotKeepTheOthersFromBeingHealed() throws Exception {
    try (Healer healer = healer(true)) {
      for (int i = 0; i < MANY; i++) {
        healer.opened(region("good" + i), () -> true);
        healer.opened(region("bad" + i), unreadable());
      }
      assertThat(healer.passAll()).as("nothing has failed").isFalse();
      assertThat(store.healed).hasSize(MANY).allMatch(row -> row.startsWith("good"));
    }
  }

  @Test
  void theHealerOutlivesATableThatCannotBeRead() throws Exception {
    try (Healer healer = healer(true)) {
      healer.opened(region("bad"), unreadable());
      healer.opened(region("good"), () -> true);
      healer.start();
      assertThat(store.often.await(30, TimeUnit.SECONDS)).as("passes go on").isTrue();
    }
  }

  @Test
  void aRegionThatHasClosedIsForgottenAtOnce() {
    try (Healer healer = healer(true)) {
      Region first = region("first");
      healer.opened(first, () -> true);
      healer.opened(region("second"), () -> true);
      healer.closed(first);
      assertThat(healer.openRegions()).isEqualTo(1);
    }
  }

  /** It moved away and came back, and the old opening's end is heard of after the new one's. */
  @Test
  void aRegionThatHasOpenedAgainIsKept() {
    try (Healer healer = healer(true)) {
      Region old = region("same");
      healer.opened(old, () -> true);
      healer.opened(region("same"), () -> true);
      healer.closed(old);
      assertThat(healer.openRegions()).isEqualTo(1);
    }
  }

  @Test
  void aHealerThatIsSwitchedOffKeepsNoRegions() {
    try (Healer healer = healer(false)) {
      healer.opened(region("any"), () -> true);
      assertThat(healer.openRegions()).isZero();
    }
  }

  @Test
  void whatCannotBeReadCountsOnceHoweverOftenItIsFound() throws Exception {
    try (Healer healer = healer(true)) {
      healer.opened(region("good"), () -> true);
      healer.opened(region("one", malformed("one")), () -> true);
      healer.opened(region("two", malformed("two")), () -> true);
      for (int i = 0; i < 3; i++) {
        assertThat(healer.passAll()).isTrue();
        assertThat(counts.getUndecodable()).isEqualTo(2);
      }
    }
  }

  /** Any of them threw out of the pass, so nothing behind it in the region was ever healed. */
  @Test
  void whatCannotBeSettledDoesNotKeepTheHealerFromWhatLiesBehindIt() throws Exception {
    List<Cell> cells = new ArrayList<>();
    cells.add(malformed("a"));
    for (RowFamily leader : ILLEGAL) {
      cells.add(follower("b" + cells.size(), START - 256 * cells.size(), leader));
    }
    store.failing = START - Timestamps.TICK * 99;
    cells.add(follower("c", store.failing, LEADER));
    cells.add(follower("good", START, LEADER));
    try (Healer healer = healer(true)) {
      healer.opened(region("table", cells), () -> true);
      assertThat(healer.passAll()).as("nothing has failed").isFalse();
      assertThat(store.healed).containsExactly("good");
      assertThat(counts.getUndecodable()).isEqualTo(1 + ILLEGAL.size());
      assertThat(counts.getFailures()).isEqualTo(1);

      assertThat(healer.passAll()).as("the failure has been put off").isTrue();
      assertThat(counts.getFailures()).isEqualTo(1);
      assertThat(counts.getUnsettled()).isEqualTo(1);
      time.addAndGet(TimeUnit.MINUTES.toNanos(1));
      assertThat(healer.passAll()).as("it is tried once more").isFalse();
      time.addAndGet(TimeUnit.MINUTES.toNanos(1));
      assertThat(healer.passAll()).as("and put off for longer").isTrue();
    }
  }

  /** They were kept, decoded, for a thousand leftovers at a time: no server outlived it. */
  @Test
  void theLongestListsOfAHundredLeadersTakeNoMemory() throws Exception {
    byte[] list = longestLeader();
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      long start = START - Timestamps.TICK * (i + 1);
      cells.add(
          new KeyValue(
              "fat".getBytes(UTF_8), F, Reserved.TRANSACTION.toArray(), start, new byte[0]) {
            @Override
            public byte[] getValueArray() {
              return list;
            }

            @Override
            public int getValueOffset() {
              return 0;
            }

            @Override
            public int getValueLength() {
              return list.length;
            }
          });
    }
    cells.add(follower("good", START, LEADER));
    try (Healer healer = healer(true)) {
      healer.opened(region("table", cells), () -> true);
      healer.passAll();
      assertThat(store.healed).containsExactly("good");
    }
  }

  private static byte[] longestLeader() {
    Encoder out = new Encoder(4 << 20);
    out.u8(1).u8(1).i64(0).i64(1).slots(SlotSet.NONE).u8(1).bool(true).length(690_000);
    for (int i = 0; i < 690_000; i++) {
      out.length(1).u8('t').length(1).u8(i).length(1).u8('f');
    }
    return out.length(0).toByteArray();
  }

  private Healer healer(boolean enabled) {
    versions.bump(START + 1_000 * Timestamps.TICK);
    return new Healer(
        new HealerSettings(enabled, Duration.ofMillis(1), Duration.ZERO, 1_000_000, 1_000_000),
        new Fences(answer -> {}, SystemClock.INSTANCE),
        versions,
        new Clock() {
          @Override
          public long monotonicNanos() {
            return SystemClock.INSTANCE.monotonicNanos() + time.get();
          }

          @Override
          public long wallMillis() {
            return SystemClock.INSTANCE.wallMillis();
          }
        },
        new Parts(store, start -> new Status.Unknown(Optional.empty()), store),
        new Settlement(
            store,
            start -> new Status.Unknown(Optional.empty()),
            new FollowerSearch(store, SystemClock.INSTANCE),
            SystemClock.INSTANCE),
        counts);
  }

  /** What a descriptor does in which somebody has mistyped a setting. */
  private static BooleanSupplier unreadable() {
    return () -> {
      throw new IllegalArgumentException("No enum constant PlainClients.fast_path");
    };
  }

  /** A region with one pending follower in a row that has the table's name. */
  private static Region region(String table) {
    return region(table, follower(table));
  }

  private static Region region(String table, Cell cell) {
    return region(table, List.of(cell));
  }

  private static Region region(String table, List<Cell> cells) {
    RegionInfo info = RegionInfoBuilder.newBuilder(TableName.valueOf(table)).setRegionId(1).build();
    return (Region)
        Proxy.newProxyInstance(
            HealerTest.class.getClassLoader(),
            new Class<?>[] {Region.class},
            (region, method, arguments) ->
                switch (method.getName()) {
                  case "getRegionInfo" -> info;
                  case "isClosed" -> false;
                  case "getScanner" -> scanner(cells);
                  case "getTableDescriptor" ->
                      TableDescriptorBuilder.newBuilder(info.getTable())
                          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                          .build();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  /** A call gives a cell. */
  private static RegionScanner scanner(List<Cell> cells) {
    Iterator<Cell> left = cells.iterator();
    return (RegionScanner)
        Proxy.newProxyInstance(
            HealerTest.class.getClassLoader(),
            new Class<?>[] {RegionScanner.class},
            (scanner, method, arguments) ->
                switch (method.getName()) {
                  case "next" -> {
                    @SuppressWarnings("unchecked")
                    List<Cell> result = (List<Cell>) arguments[0];
                    result.add(left.next());
                    yield left.hasNext();
                  }
                  case "close" -> null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static Cell malformed(String row) {
    byte[] value = {-1};
    return new KeyValue(row.getBytes(UTF_8), F, Reserved.TRANSACTION.toArray(), START, value);
  }

  private static Cell follower(String row) {
    return follower(row, START, LEADER);
  }

  private static Cell follower(String row, long start, RowFamily leader) {
    TransactionCell pending =
        new TransactionCell(
            TransactionState.PENDING,
            0,
            1,
            SlotSet.NONE,
            Optional.of(leader),
            List.of(),
            false,
            List.of(),
            Tag.NONE);
    return new KeyValue(
        row.getBytes(UTF_8), F, Reserved.TRANSACTION.toArray(), start, pending.encode());
  }

  /** Every leader has committed. */
  private static final class Store implements HealingStore {
    private final List<String> healed = new CopyOnWriteArrayList<>();
    private final CountDownLatch often = new CountDownLatch(5);

    /** The transaction for which this fails in an unforeseen way. */
    private long failing;

    @Override
    public Outcome read(long start, RowFamily place) {
      if (start == failing) {
        throw new IllegalArgumentException("unforeseen");
      }
      if (place.row().equals(Bytes.utf8("fat"))) {
        return new Outcome(Optional.of(TransactionState.PENDING), 0, false);
      }
      return new Outcome(Optional.of(TransactionState.COMMITTED), COMMIT, false);
    }

    @Override
    public void heal(TransactionId id, Collection<RowFamily> followers, long commitTimestamp) {
      followers.forEach(place -> healed.add(place.row().toUtf8()));
      often.countDown();
    }

    @Override
    public Outcome commitLeader(TransactionId id, Status.Passed passed) {
      throw new AssertionError(id);
    }

    @Override
    public boolean isClosedTo(TransactionId id) {
      throw new AssertionError(id);
    }

    @Override
    public Outcome abortLeader(TransactionId id, boolean plant, Proof proof) {
      throw new AssertionError(id);
    }

    @Override
    public void finishLeader(TransactionId id, long commitTimestamp) {
      throw new AssertionError(id);
    }

    @Override
    public Set<TransactionId> healEverywhere(Map<TransactionId, Long> commits) {
      throw new AssertionError(commits);
    }
  }
}
