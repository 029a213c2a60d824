package io.lampone.coprocessor.core.healing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When all tables are searched, and for how many transactions at once. */
final class FollowerSearchTest {

  private static final long START = Timestamps.tick(1L << 60);
  private static final long COMMIT = START + Timestamps.TICK;

  private final AtomicLong nanos = new AtomicLong();

  /** Numbers of transactions of each search. */
  private final List<Integer> searches = new ArrayList<>();

  private final List<Long> finished = new ArrayList<>();
  private Duration takes = Duration.ofSeconds(1);
  private boolean away;
  private Runnable meanwhile = () -> {};
  private @Nullable TransactionId bad;

  private final FollowerSearch search =
      new FollowerSearch(store(), new SettlementTest.ManualClock(nanos));

  /** Clients decide whether a leader has its list: each commit could have all tables read. */
  @Test
  void oneSearchServesAllTransactionsThatAreKnown() throws IOException {
    for (int i = 0; i < 1_000; i++) {
      search.add(id(i), COMMIT + i);
      search.add(id(i), COMMIT + i); // met by every pass
    }
    assertThat(search.isDue()).isTrue();
    assertThat(search.run()).isEqualTo(1_000);
    assertThat(searches).containsExactly(1_000);
    assertThat(finished).hasSize(1_000).contains(COMMIT, COMMIT + 999);
    assertThat(search.isDue()).as("nothing left").isFalse();
  }

  /** Passes of the healer go on during a search, and meet the same leaders. */
  @Test
  void whatIsMetAgainDuringASearchNeedsNoOther() throws IOException {
    search.add(id(0), COMMIT);
    meanwhile = () -> search.add(id(0), COMMIT);
    assertThat(search.run()).isEqualTo(1);
    nanos.addAndGet(Duration.ofHours(1).toNanos());
    assertThat(search.isDue()).isFalse();
  }

  @Test
  void whatDoesNotFitIsLeftToTheNextSearch() throws IOException {
    for (int i = 0; i < FollowerSearch.MAX_TRANSACTIONS + 1; i++) {
      search.add(id(i), COMMIT);
    }
    assertThat(search.run()).isEqualTo(FollowerSearch.MAX_TRANSACTIONS);
  }

  @Test
  void searchesTakeATenthOfTheTime() throws IOException {
    takes = Duration.ofMinutes(10);
    search.add(id(0), COMMIT);
    search.run();
    search.add(id(1), COMMIT);
    nanos.addAndGet(takes.multipliedBy(9).toNanos() - 1);
    assertThat(search.isDue()).isFalse();
    nanos.incrementAndGet();
    assertThat(search.isDue()).isTrue();
  }

  /** A region that is away must not make every pass read all tables up to there. */
  @Test
  void aSearchThatHasFailedIsMadeAgainAfterPausesThatGrow() throws IOException {
    takes = Duration.ZERO;
    away = true;
    for (int i = 0; i < 24 * 60 * 6; i++) { // a pass every ten seconds for a day
      nanos.addAndGet(Duration.ofSeconds(10).toNanos());
      search.add(id(0), COMMIT);
      if (search.isDue()) {
        assertThatThrownBy(search::run).hasMessage("a server is away");
      }
    }
    assertThat(searches).hasSizeBetween(20, 40);
    assertThat(finished).isEmpty();
    away = false;
    nanos.addAndGet(FollowerSearch.LONGEST_PAUSE.toNanos());
    search.add(id(0), COMMIT);
    assertThat(search.run()).isEqualTo(1);
    search.add(id(0), COMMIT);
    assertThat(search.isDue()).as("the failures are forgotten").isTrue();
  }

  /** One that cannot be settled is put off; others are settled meanwhile. */
  @Test
  void aTransactionThatCannotBeSettledDelaysNoOther() throws IOException {
    bad = id(7);
    for (int i = 0; i < 24 * 60 * 6; i++) { // a pass every ten seconds for a day
      nanos.addAndGet(Duration.ofSeconds(10).toNanos());
      search.add(id(7), COMMIT);
      if (i % 360 == 0) {
        search.add(id(i), COMMIT + i);
      }
      if (search.isDue()) {
        search.run();
      }
    }
    assertThat(finished).as("one an hour").hasSize(24).doesNotContain(COMMIT + 7);
    assertThat(searches).hasSizeBetween(24, 70);
  }

  private static TransactionId id(int number) {
    return new TransactionId(
        START - number, new RowFamily("t", Bytes.utf8("leader"), Bytes.utf8("f")));
  }

  private HealingStore store() {
    return (HealingStore)
        Proxy.newProxyInstance(
            HealingStore.class.getClassLoader(),
            new Class<?>[] {HealingStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("finishLeader")) {
                finished.add((Long) arguments[1]);
                return null;
              }
              assertThat(method.getName()).isEqualTo("healEverywhere");
              Set<?> sought = ((Map<?, ?>) arguments[0]).keySet();
              searches.add(sought.size());
              nanos.addAndGet(takes.toNanos());
              meanwhile.run();
              if (away) {
                throw new IOException("a server is away");
              }
              return sought.stream().filter(id -> !id.equals(bad)).collect(Collectors.toSet());
            });
  }
}
