package io.lampone.simulation.client;

import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.checker.format.HistoryWriter;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.core.latest.LatestReads;
import io.lampone.client.core.latest.LatestReads.Current;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.simulation.hbase.RegionReads;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.invariant.NoUnforeseenFailure;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.FutureFailures;
import io.lampone.simulation.world.Lists;
import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.Schema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One transaction without a snapshot: several gets, decided on by the client's own code. */
final class LatestScript implements LatestReads.Rows<Bytes, RowView> {

  private static final Duration TIMEOUT = Duration.ofSeconds(4);
  private static final int MAX_STEPS = 4;
  private static final int MAX_KEPT = 8;

  /** Long enough for the safe point to pass what was read. */
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(900);

  private static final int ONE_LONG_PAUSE_IN = 4;

  private final SimulatedClient client;
  private final Runnable ended;
  private final Chance chance;
  private final List<Bytes> rows;
  private final long mark;
  private final LatestReads<Bytes, RowView> reads = new LatestReads<>(this, MAX_KEPT);

  /** Rows shown before a snapshot was taken. */
  private final Map<Bytes, RowView> seen = new TreeMap<>();

  private final List<Operation> operations = new ArrayList<>();
  private int stepsLeft;
  private @Nullable OpenTransaction inSnapshot;

  LatestScript(SimulatedClient client, Runnable ended) {
    this.client = client;
    this.ended = ended;
    this.chance = client.world().chance();
    this.rows = Schema.rows(client.plan().rows());
    this.mark = client.core().session().mark();
    this.stepsLeft = chance.between(1, MAX_STEPS);
  }

  void start() {
    client.onDeath(this::lastWords);
    step();
  }

  private void step() {
    if (stepsLeft-- == 0) {
      client.say(() -> "ENDED latest lowest=" + reads.lowest() + " highest=" + reads.highest());
      record(Outcome.OK, "");
      ended.run();
      return;
    }
    List<Bytes> some =
        chance.oneIn(2) ? List.of(chance.pick(rows)) : List.of(chance.pick(rows), rows.get(0));
    client
        .core()
        .driver()
        .start(reads.read(some.stream().distinct().toList()))
        .whenComplete(
            (found, failure) -> {
              if (failure != null) {
                giveUp(failure);
                return;
              }
              found.forEach(this::shown);
              check();
              client.after(
                  chance.oneIn(ONE_LONG_PAUSE_IN)
                      ? chance.nanosUpTo(LONGEST_PAUSE)
                      : chance.nanosUpTo(client.plan().pace()),
                  this::step);
            });
  }

  private void giveUp(Throwable failure) {
    client.say(() -> "GIVES UP latest why=" + FutureFailures.unwrap(failure));
    if (reads.conflict().isEmpty()) {
      NoUnforeseenFailure.require(client.world(), failure);
    }
    record(Outcome.FAILED, "conflict");
    ended.run();
  }

  private void shown(RowView view) {
    operations.add(
        new Operation.Read(
            view.row().toUtf8(),
            Lists.decode(Optional.ofNullable(view.values().get(Schema.LIST)))));
    if (inSnapshot == null) {
      seen.put(view.row(), view);
      return;
    }
    eachColumn(
        view,
        (place, value) ->
            client
                .invariantChecker()
                .read(Objects.requireNonNull(inSnapshot).startTimestamp(), place, value));
  }

  /** Everything shown so far is to be one state, and none of before what the session knew. */
  private void check() {
    if (inSnapshot != null) {
      return;
    }
    long lowest = reads.lowest();
    long highest = reads.highest();
    client.say(() -> "READ latest rows=" + seen.keySet() + " " + lowest + ".." + highest);
    if (highest < mark) {
      client.world().violated("SessionKeepsOrder", "highest=" + highest + " is below mark=" + mark);
    }
    for (RowView view : seen.values()) {
      eachColumn(
          view,
          (place, value) -> client.invariantChecker().interval(lowest, highest, place, value));
    }
  }

  private interface Consumer {
    void accept(Place place, Optional<Bytes> value);
  }

  private static void eachColumn(RowView view, Consumer consumer) {
    for (Schema.Column column : Schema.COLUMNS) {
      consumer.accept(
          new Place(view.row(), column), Optional.ofNullable(view.values().get(column)));
    }
  }

  /**
   * Records the end, as of a transaction on the highest snapshot that shows what was read. What one
   * has read that has failed is no state of the snapshot that it may have taken.
   */
  private void record(Outcome outcome, String why) {
    OpenTransaction open = inSnapshot;
    long start =
        outcome == Outcome.FAILED || operations.isEmpty()
            ? 0
            : open != null ? open.startTimestamp() : reads.highest() + 1;
    // Not ordered in real time.
    client
        .recorder()
        .add(
            new HistoryRecorder.HistoryProcess(client.recorder().newProcess(), 0, false),
            outcome,
            List.copyOf(operations),
            OperationId.NONE,
            start,
            0,
            why);
  }

  private void lastWords() {
    record(Outcome.FAILED, HistoryWriter.NO_END);
  }

  @Override
  public Step<List<Current<RowView>>> current(List<Bytes> gets) {
    List<Step<Current<RowView>>> asked = new ArrayList<>();
    for (Bytes row : gets) {
      var request = client.core().fastReads().first(Wants.INTERVAL);
      asked.add(
          AsyncRequest.step(
                  () ->
                      client
                          .core()
                          .calls()
                          .<RegionReads.FastRow>persistently(
                              row,
                              (region, answer) ->
                                  new RegionReads(region).fast(row, request, answer)))
              .map(
                  found -> {
                    client.core().fastReads().shows(found.reply());
                    return new Current<>(
                        found.row(), found.reply(), !found.row().pointers().isEmpty());
                  }));
    }
    return Step.all(asked);
  }

  @Override
  public Step<Void> takeSnapshot() {
    return AsyncRequest.<Begin>step(client.core().manager()::begin)
        .then(
            begin -> {
              client.say(() -> "LATEST TAKES A SNAPSHOT start=" + begin.startTimestamp());
              inSnapshot = client.open(begin, new TransactionMode(true, true, false), TIMEOUT);
              return Step.done();
            });
  }

  @Override
  public Step<List<RowView>> inSnapshot(List<Bytes> gets) {
    return AsyncRequest.step(
            () -> new Reads(client.core()).rows(Objects.requireNonNull(inSnapshot), gets, false))
        .map(found -> gets.stream().map(row -> Objects.requireNonNull(found.get(row))).toList());
  }

  @Override
  public boolean isSame(RowView one, RowView other) {
    return one.values().equals(other.values());
  }

  @Override
  public long bytes(RowView shown) {
    return 0; // small
  }

  @Override
  public RowFamily place(Bytes row) {
    return Schema.place(row, Schema.F);
  }
}
