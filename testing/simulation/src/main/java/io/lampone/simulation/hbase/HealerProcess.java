package io.lampone.simulation.hbase;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.coprocessor.core.healing.AssignedTransactions;
import io.lampone.coprocessor.core.healing.FollowerSearch;
import io.lampone.coprocessor.core.healing.HealingStore;
import io.lampone.coprocessor.core.healing.Settlement;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.StatusSource;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.simulation.client.SimulatedStore;
import io.lampone.simulation.world.FutureFailures;
import io.lampone.simulation.world.Replay;
import io.lampone.simulation.world.Schema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Healer of one region server: scans the regions open there, and the real {@link Settlement}
 * settles what transactions have left behind. The simulator supplies the scan and the calls to
 * regions.
 */
final class HealerProcess {

  private static final Comparator<TransactionId> BY_START =
      Comparator.comparingLong(TransactionId::startTimestamp).thenComparing(TransactionId::leader);

  /** Minimum age, in timestamps, of what is healed: younger transactions are still running. */
  private static final long DELAY_NANOS = Duration.ofMillis(40).toNanos();

  private static final Duration ASSIGNED_PATIENCE = Duration.ofMillis(150);

  private final RegionServer server;
  private final SimulatedStore store;
  private final Driver driver;
  private final RegionCalls calls;
  private final AssignedTransactions assigned;

  /** Transactions being resolved for readers. */
  private final Set<TransactionId> resolving = new HashSet<>();

  /** Cells that one transaction has left. */
  private static final class Leftover {
    private final TransactionId id;
    private final TreeSet<RowFamily> followers = new TreeSet<>();
    private Optional<TransactionCell> leader = Optional.empty();

    Leftover(TransactionId id) {
      this.id = id;
    }
  }

  HealerProcess(RegionServer server, RegionCalls calls) {
    this.server = server;
    this.calls = calls;
    this.store = new SimulatedStore(calls);
    this.driver = server.driver();
    this.assigned = new AssignedTransactions(server.clock(), ASSIGNED_PATIENCE);
  }

  /** Runs one pass, then {@code ended}, whatever the result. */
  void pass(Runnable ended) {
    NavigableMap<TransactionId, Leftover> found = new TreeMap<>(BY_START);
    long before = Timestamps.tick(server.versions().current()) - DELAY_NANOS;
    for (ServedRegion region : server.regions()) {
      region.eachTransactionCell(
          (place, start, cell) -> {
            if (start < before) {
              look(place, start, cell, found);
            }
          });
    }
    settleNext(found.values().iterator(), ended);
  }

  private static void look(
      RowFamily place,
      long start,
      TransactionCell cell,
      NavigableMap<TransactionId, Leftover> found) {
    if (cell.state() != TransactionState.PENDING
        && !(cell.isLeader() && cell.state() == TransactionState.COMMITTED)) {
      return;
    }
    Leftover leftover =
        found.computeIfAbsent(new TransactionId(start, cell.leader().orElse(place)), Leftover::new);
    if (cell.isLeader()) {
      leftover.leader = Optional.of(cell);
    } else {
      leftover.followers.add(place);
    }
  }

  private void settleNext(Iterator<Leftover> left, Runnable ended) {
    if (!left.hasNext()) {
      ended.run();
      return;
    }
    Leftover one = left.next();
    long over = over();
    Replay.of(
            replay -> {
              FollowerSearch search = search(replay);
              Settlement.Result result =
                  settlement(replay, search).settle(one.id, one.followers, one.leader, over);
              if (search.isDue()) {
                search.run();
              }
              server.say(() -> "HEALS start=" + one.id.startTimestamp() + " " + result);
            })
        .whenComplete(
            (done, failure) -> {
              tellUnforeseen("healer", failure);
              settleNext(left, ended);
            });
  }

  /** Resolves an intent for a reader, unless that is under way. */
  void resolve(TransactionId id, RowFamily met) {
    if (!resolving.add(id)) {
      return;
    }
    long over = over(); // which may rise while it waits for answers
    Replay.of(
            replay -> {
              boolean done = settlement(replay, search(replay)).resolve(id, List.of(met), over);
              server.say(() -> "RESOLVES start=" + id.startTimestamp() + " " + done);
            })
        .whenComplete(
            (done, failure) -> {
              resolving.remove(id);
              tellUnforeseen("resolver", failure);
            });
  }

  private FollowerSearch search(Replay replay) {
    return new FollowerSearch(new Store(replay), server.clock());
  }

  private Settlement settlement(Replay replay, FollowerSearch search) {
    return new Settlement(new Store(replay), start -> ask(replay, start), search, assigned);
  }

  private void tellUnforeseen(String who, @Nullable Throwable failure) {
    if (failure != null && !(FutureFailures.unwrap(failure) instanceof IOException)) {
      server.world().violated("NothingUnforeseen", who + ": " + failure);
    }
  }

  private long over() {
    return Math.max(server.fences().floor(), server.fences().collectableBelow());
  }

  private StatusSource.Status ask(Replay replay, long start) throws IOException {
    return replay.await(() -> server.port().status(start, StatusSource.NO_SNAPSHOT));
  }

  /** Store whose requests all carry the server's current floor. */
  private final class Store implements HealingStore {

    private final Replay replay;

    Store(Replay replay) {
      this.replay = replay;
    }

    private long floor() {
      return server.fences().floor();
    }

    private <T> T await(Supplier<Step<T>> question) throws IOException {
      return replay.await(() -> driver.start(question.get()));
    }

    @Override
    public Outcome read(long start, RowFamily place) throws IOException {
      TransactionId there = new TransactionId(start, place);
      Outcome cell = await(() -> store.readLeaders(List.of(there), floor())).get(there);
      return cell == null ? Outcome.NOTHING : cell;
    }

    @Override
    public Outcome commitLeader(TransactionId id, Status.Passed passed) throws IOException {
      return await(() -> store.commitLeader(id, floor(), passed.commitTimestamp(), passed.proof()));
    }

    @Override
    public Outcome abortLeader(TransactionId id, boolean plant, Proof proof) throws IOException {
      try {
        return await(() -> store.abortLeader(id, floor(), plant, proof));
      } catch (IOException e) {
        if (plant
            && e.getCause() instanceof StoreRefusedException refused
            && refused.refusal().code() == Refusal.Code.BELOW_SAFE_POINT) {
          throw new AbsentForGoodException(id.leader(), "below the safe point", e);
        }
        throw e;
      }
    }

    /** Simulated tables are never changed. */
    @Override
    public boolean isClosedTo(TransactionId id) {
      return false;
    }

    @Override
    public void finishLeader(TransactionId id, long commitTimestamp) throws IOException {
      Tag healed = Proofs.OPEN.healed(id.startTimestamp(), commitTimestamp);
      var unused =
          await(() -> store.finishLeader(id, floor(), commitTimestamp, new Proof.Healed(healed)));
      assert unused != null;
    }

    @Override
    public void heal(TransactionId id, Collection<RowFamily> followers, long commitTimestamp)
        throws IOException {
      try {
        Fate fate = new Fate(commitTimestamp, Proofs.OPEN.fate(id, commitTimestamp));
        await(() -> store.heal(id, floor(), followers, fate));
      } catch (IOException e) {
        boolean foreign =
            e.getCause() instanceof StoreRefusedException refused
                && refused.refusal().code() == Refusal.Code.NOT_ITS_LEADER;
        if (!foreign) {
          throw e;
        }
        if (followers.size() > 1) {
          for (RowFamily place : followers) {
            heal(id, List.of(place), commitTimestamp);
          }
        }
      }
    }

    @Override
    public Set<TransactionId> healEverywhere(Map<TransactionId, Long> commits) throws IOException {
      for (Map.Entry<TransactionId, Long> each : commits.entrySet()) {
        healEverywhere(each.getKey(), each.getValue());
      }
      return commits.keySet();
    }

    private void healEverywhere(TransactionId id, long commitTimestamp) throws IOException {
      List<List<RowFamily>> pending =
          replay.await(
              () -> {
                List<Bytes> rows = List.copyOf(new TreeSet<>(Schema.rows(Schema.mostRows())));
                return calls.<List<RowFamily>>persistently(
                    rows,
                    some -> (region, answer) -> new RegionReads(region).pending(some, id, answer));
              });
      List<RowFamily> all = new ArrayList<>();
      pending.forEach(all::addAll);
      if (!all.isEmpty()) {
        heal(id, all, commitTimestamp);
      }
    }
  }
}
