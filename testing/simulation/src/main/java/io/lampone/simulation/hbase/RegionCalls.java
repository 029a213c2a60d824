package io.lampone.simulation.hbase;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.time.Backoff;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.FutureFailures;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.SimulatedMachine;
import io.lampone.simulation.world.SimulatedNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Calls of one client to regions, as HBase's client makes them: caches the locations of regions,
 * refreshes them when they are wrong, and repeats calls without a reply.
 */
public final class RegionCalls {

  private static final Duration CALL_TIMEOUT = Duration.ofMillis(200);
  private static final Duration OPERATION_TIMEOUT = Duration.ofMillis(1_500);
  private static final Duration DOUBLED_LATEST = Duration.ofMillis(500);

  /** Longest delay of a duplicate that arrives while its transaction is still running. */
  private static final Duration DOUBLED_SOON = Duration.ofMillis(30);

  /** Shortest hold-up of a request, after which the sender has repeated it. */
  private static final Duration SHORTEST_ABSENCE = Duration.ofMillis(140);

  private static final Duration LONGEST_ABSENCE = Duration.ofMillis(250);

  private static final int SILENT_ATTEMPTS = 2;

  private final SimulatedMachine client;
  private final SimulatedNetwork network;
  private final Master master;
  private final Map<Integer, RegionServer> known = new HashMap<>();

  /** Cached locations of the regions. */
  private Layout layout;

  /** Work at the region. */
  public interface Handler<T> {
    void at(ServedRegion region, Consumer<RegionAnswer<T>> answer);
  }

  public RegionCalls(SimulatedMachine client, SimulatedNetwork network, Master master) {
    this.client = client;
    this.network = network;
    this.master = master;
    this.layout = master.layout();
  }

  /** Returns the user of these requests. */
  public String user() {
    return client.name();
  }

  /** Returns the cached locations of the regions. */
  public Layout layout() {
    return layout;
  }

  /** Refreshes the locations of all regions. */
  public void locateAgain() {
    layout = master.layout();
  }

  private void forget(int region) {
    known.remove(region);
    locateAgain();
  }

  /** Makes one attempt; returns the server's reply, or empty if none arrived. */
  public <T> CompletableFuture<Optional<RegionAnswer<T>>> once(
      int region, boolean mayBeDoubled, Handler<T> handler) {
    CompletableFuture<Optional<RegionAnswer<T>>> end = new CompletableFuture<>();
    Optional<RegionServer> server =
        known.containsKey(region) ? Optional.of(known.get(region)) : master.locate(region);
    if (server.isEmpty()) {
      client.after(
          network.delayNanos(),
          () -> {
            forget(region);
            end.complete(notServing());
          });
      return end;
    }
    known.put(region, server.get());
    send(
        server.get(),
        region,
        mayBeDoubled ? network.disorderNanos() : heldUpNanos(region),
        handler,
        end);
    if (mayBeDoubled && network.isDoubled()) {
      RegionServer same = server.get();
      Chance chance = client.world().chance();
      client.after(
          chance.nanosUpTo(chance.oneIn(2) ? DOUBLED_SOON : DOUBLED_LATEST),
          () -> send(same, region, 0, handler, new CompletableFuture<>()));
    }
    client.after(
        CALL_TIMEOUT,
        () -> {
          if (end.complete(Optional.empty())) {
            forget(region);
          }
        });
    return end;
  }

  /**
   * Returns for how long a request is held up: 0, or longer than its sender waits. Meanwhile its
   * region may move away and back.
   */
  private long heldUpNanos(int region) {
    Chance chance = client.world().chance();
    if (!network.isHeldUp()) {
      return 0;
    }
    long nanos = CALL_TIMEOUT.toNanos() + SHORTEST_ABSENCE.toNanos();
    nanos += chance.nanosUpTo(LONGEST_ABSENCE);
    if (!chance.oneIn(4)) {
      master.swing(region, chance.nanosUpTo(CALL_TIMEOUT.dividedBy(2)), nanos);
    }
    return nanos;
  }

  private <T> void send(
      RegionServer server,
      int region,
      long lateNanos,
      Handler<T> handler,
      CompletableFuture<Optional<RegionAnswer<T>>> end) {
    int born = client.incarnation();
    Consumer<RegionAnswer<T>> reply =
        answer -> {
          if (client.incarnation() == born) {
            network.send(
                client,
                () -> {
                  if (answer instanceof RegionAnswer.NotServing) {
                    forget(region);
                  }
                  end.complete(Optional.of(answer));
                });
          }
        };
    network.sendLate(
        server,
        lateNanos,
        () -> {
          Optional<ServedRegion> served = server.region(region);
          if (served.isPresent()) {
            handler.at(served.get(), reply);
          } else {
            reply.accept(new RegionAnswer.NotServing<>());
          }
        });
  }

  private static <T> Optional<RegionAnswer<T>> notServing() {
    return Optional.of(new RegionAnswer.NotServing<>());
  }

  /**
   * Sends again until the requests are done, refused for good, or time is up: one request for each
   * region, by the layout at the time of sending. Fails with {@link StoreRefusedException} or
   * {@link StoreUnavailableException}.
   *
   * @param rows their names
   * @param request made of the rows that lie together
   * @return one value for each request
   */
  public <T> CompletableFuture<List<T>> persistently(
      List<Bytes> rows, Function<List<Bytes>, Handler<T>> request) {
    long deadlineNanos = client.clock().monotonicNanos() + OPERATION_TIMEOUT.toNanos();
    return attempt(rows, new Persistence<>(request, deadlineNanos), 0, 0);
  }

  /** The same for a request of one row. */
  public <T> CompletableFuture<T> persistently(Bytes row, Handler<T> handler) {
    return this.<T>persistently(List.of(row), same -> handler).thenApply(values -> values.get(0));
  }

  private record Persistence<T>(Function<List<Bytes>, Handler<T>> request, long deadlineNanos) {}

  private <T> CompletableFuture<List<T>> attempt(
      List<Bytes> rows, Persistence<T> persistence, int tries, int silent) {
    List<CompletableFuture<List<T>>> parts = new ArrayList<>();
    for (List<Bytes> part : layout.byRegion(rows, row -> row)) {
      parts.add(attemptOne(part, persistence, tries, silent));
    }
    return parts.size() == 1 ? parts.get(0) : FutureFailures.allEnded(parts);
  }

  private <T> CompletableFuture<List<T>> attemptOne(
      List<Bytes> rows, Persistence<T> persistence, int tries, int silent) {
    int region = layout.regionOf(rows.get(0));
    return once(region, true, persistence.request().apply(rows))
        .thenCompose(
            answer -> {
              if (answer.isPresent() && answer.get() instanceof RegionAnswer.Done<T> done) {
                return CompletableFuture.completedFuture(List.of(done.value()));
              }
              boolean over = client.clock().monotonicNanos() - persistence.deadlineNanos() >= 0;
              boolean silence = answer.isEmpty();
              if (answer.isPresent()
                  && answer.get() instanceof RegionAnswer.Refusing<T> refusing
                  && (over || !mayRepeat(refusing.refusal()))) {
                return CompletableFuture.failedFuture(
                    new StoreRefusedException(Schema.table(rows.get(0)), refusing.refusal(), null));
              }
              if (over || silence && silent + 1 >= SILENT_ATTEMPTS) {
                return CompletableFuture.failedFuture(
                    new StoreUnavailableException("no answer, region=" + region, null));
              }
              CompletableFuture<Void> pause = new CompletableFuture<>();
              client.after(
                  Backoff.CALLS.delay(Math.min(tries, 3), client.world().chance()),
                  () -> pause.complete(null));
              int silentNow = silence ? silent + 1 : silent;
              return pause.thenCompose(waited -> attempt(rows, persistence, tries + 1, silentNow));
            });
  }

  static boolean mayRepeat(Refusal refusal) {
    Refusal.Advice advice = refusal.code().advice();
    return advice == Refusal.Advice.SAME_REQUEST || advice == Refusal.Advice.LOCATE_AGAIN;
  }
}
