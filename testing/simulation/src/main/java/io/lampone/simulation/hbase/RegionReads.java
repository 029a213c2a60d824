package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.fastpath.FastAdmission;
import io.lampone.coprocessor.core.fastpath.FastReading;
import io.lampone.coprocessor.core.fastpath.WriteBlockers;
import io.lampone.coprocessor.core.fence.ReadAdmission;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.coprocessor.core.intent.StateRules;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.CausalTimestamp;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Schema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads at one region. A read of one or several rows happens at one moment; it waits, without
 * blocking others, for what it may not see yet.
 */
public final class RegionReads {

  private static final Duration POLL = Duration.ofNanos(100_000);

  private final ServedRegion region;

  public RegionReads(ServedRegion region) {
    this.region = region;
  }

  /** Answer of a fast read. */
  public record FastRow(RowView row, FastReadReply reply) {}

  /** Rows at a snapshot. */
  public void snapshot(
      List<Bytes> rows, ReadRequest request, Consumer<RegionAnswer<List<RowView>>> answer) {
    region.answering(
        answer,
        () -> {
          SnapshotView view = ReadAdmission.admit(request, CausalTimestamp.NONE, region.guards());
          region.next(
              () -> whenClear(rows, request.snapshot(), answer, () -> look(rows, view, answer)));
        });
  }

  private void look(
      List<Bytes> rows, SnapshotView view, Consumer<RegionAnswer<List<RowView>>> answer) {
    List<RowView> found = new ArrayList<>();
    region.answering(
        answer,
        () -> {
          for (Bytes row : rows) {
            found.add(RowView.read(row, region.row(row), view));
          }
          region.next(
              () ->
                  region.answering(
                      answer,
                      () -> {
                        ReadAdmission.requireHolds(view.snapshot(), region.guards());
                        served(view.snapshot());
                        answer.accept(new RegionAnswer.Done<>(found));
                      }));
        });
  }

  private void served(long snapshot) {
    RegionServer server = region.server();
    server.invariantChecker().served(server, snapshot);
  }

  /** Waits until the writes below a timestamp in some rows are visible, or will never be. */
  <T> void whenClear(
      List<Bytes> rows, long snapshot, Consumer<RegionAnswer<T>> answer, Runnable then) {
    if (region.isClosing()) {
      answer.accept(new RegionAnswer.NotServing<>());
    } else if (!region.server().parts().heeds(Parts.InFlight.READERS_WAIT)
        || rows.stream()
            .map(Schema::key)
            .allMatch(key -> region.fast().inFlight().isRowClear(key, snapshot))) {
      then.run();
    } else {
      region.server().after(POLL, () -> whenClear(rows, snapshot, answer, then));
    }
  }

  /** The state of a leader. */
  public void leader(
      Bytes row, LeaderReadRequest request, Consumer<RegionAnswer<RegionReply.Outcome>> answer) {
    region.answering(
        answer,
        () -> {
          region.guards().requireKnown(request.floor());
          region.guards().requirePossible(request.startTimestamp());
          RegionReply.Outcome outcome;
          try {
            outcome =
                StateRules.leader(
                    request.family(), request.startTimestamp(), region.row(row), region.guards());
          } catch (IOException e) {
            throw new IllegalStateException("a simulated row can always be read", e);
          }
          confirm(outcome, answer);
        });
  }

  private void confirm(
      RegionReply.Outcome outcome, Consumer<RegionAnswer<RegionReply.Outcome>> answer) {
    region.next(
        () ->
            region.answering(
                answer,
                () -> {
                  region.guards().requireSession();
                  answer.accept(new RegionAnswer.Done<>(outcome));
                }));
  }

  /** Answers on a transaction as if its cell were one that bypassed the observer. */
  public void forged(
      RowFamily place,
      long start,
      TransactionCell cell,
      Consumer<RegionAnswer<RegionReply.Outcome>> answer) {
    region.answering(
        answer,
        () -> {
          RowCells cells = new RowCells();
          Bytes value = Bytes.wrap(cell.encode());
          cells.put(
              new CellWrite(
                  place.family(),
                  Reserved.TRANSACTION,
                  start,
                  value,
                  OperationId.NONE,
                  FamilyRetention.FOREVER),
              1);
          StoredRow row = new StoredCells(Schema.name(place), cells);
          RegionReply.Outcome outcome;
          try {
            outcome =
                cell.isLeader()
                    ? StateRules.leader(place.family(), start, row, region.guards())
                    : StateRules.met(start, row, region.guards()).outcome();
          } catch (IOException e) {
            throw new IllegalStateException("a simulated row can always be read", e);
          }
          region.guards().requireSession();
          answer.accept(new RegionAnswer.Done<>(outcome));
        });
  }

  /** Answers with the row's state of a transaction that a reader has met there. */
  public void resolve(
      Bytes row, LeaderReadRequest request, Consumer<RegionAnswer<RegionReply.Outcome>> answer) {
    region.answering(
        answer,
        () -> {
          region.guards().requireKnown(request.floor());
          region.guards().requirePossible(request.startTimestamp());
          StateRules.Met met;
          try {
            met = StateRules.met(request.startTimestamp(), region.row(row), region.guards());
          } catch (IOException e) {
            throw new IllegalStateException("a simulated row can always be read", e);
          }
          if (met.undecided().isPresent()) {
            region.server().resolve(met.undecided().get(), Schema.place(row, met.family()));
            throw Refused.because(Refusal.Code.NOT_READY, "being found out");
          }
          confirm(met.outcome(), answer);
        });
  }

  /**
   * Answers with the pending followers in the rows, as for a sweep over all: the session is proved.
   */
  void pending(List<Bytes> rows, TransactionId id, Consumer<RegionAnswer<List<RowFamily>>> answer) {
    region.answering(
        answer,
        () -> {
          region.guards().requireSession();
          region.next(() -> answer.accept(new RegionAnswer.Done<>(pending(rows, id))));
        });
  }

  private static boolean isPendingFollower(TransactionCell cell, TransactionId id) {
    return cell.state() == TransactionState.PENDING
        && cell.leader().equals(Optional.of(id.leader()));
  }

  private List<RowFamily> pending(List<Bytes> rows, TransactionId id) {
    List<RowFamily> found = new ArrayList<>();
    region.eachTransactionCell(
        (place, start, cell) -> {
          if (start == id.startTimestamp()
              && rows.contains(Schema.name(place))
              && isPendingFollower(cell, id)) {
            found.add(place);
          }
        });
    return found;
  }

  /** One row, at a snapshot that is picked here. */
  public void fast(Bytes row, FastReadRequest asked, Consumer<RegionAnswer<FastRow>> answer) {
    if (asked.wants() != Wants.INTERVAL) {
      fast(row, asked, 0, answer);
      return;
    }
    // Other events come between the reading of the clock and the look.
    long clock = region.server().versions().current();
    region.next(() -> fast(row, asked, clock, answer));
  }

  private void fast(
      Bytes row, FastReadRequest asked, long clock, Consumer<RegionAnswer<FastRow>> answer) {
    FastReadRequest request = steps().request(asked);
    if (region.isClosing()) {
      answer.accept(new RegionAnswer.NotServing<>());
      return;
    }
    region.answering(
        answer,
        () -> {
          FastAdmission.admit(request, region.guards());
          FastReading<RowView> reading = reading(request, new WholeRow(request, row, clock));
          FastReading.Answer<RowView> found;
          try {
            found = reading.read();
          } catch (NotYet e) {
            region.server().after(POLL, () -> fast(row, asked, clock, answer));
            return;
          } catch (IOException e) {
            throw new IllegalStateException("a simulated row can always be read", e);
          }
          region.next(
              () ->
                  region.answering(
                      answer,
                      () -> {
                        reading.requireHolds(found);
                        long snapshot =
                            request.wants() == Wants.INTERVAL
                                ? steps()
                                    .endOfInterval(found.snapshot(), region.server().versions())
                                : found.snapshot();
                        answer.accept(
                            new RegionAnswer.Done<>(
                                new FastRow(
                                    found.found(),
                                    new FastReadReply(
                                        snapshot,
                                        found.version(),
                                        region.guards().mark(snapshot)))));
                      }));
        });
  }

  private FastReading<RowView> reading(FastReadRequest request, WholeRow row) {
    return request.wants() == Wants.INTERVAL
        ? new FastReading<>(
            request, steps().rowOfInterval(row), steps().guardsOfInterval(region.guards()))
        : new FastReading<>(request, row, region.guards());
  }

  private FastReadSteps steps() {
    return region.server().parts().fastReads();
  }

  /** A write that must be waited for is under way: the read begins again a little later. */
  private static final class NotYet extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotYet() {
      super(null, null, false, false);
    }
  }

  /** Both families of a row. */
  public final class WholeRow implements FastReading.Row<RowView> {

    private final FastReadRequest request;
    private final Bytes name;
    private final long clock;

    WholeRow(FastReadRequest request, Bytes name, long clock) {
      this.request = request;
      this.name = name;
      this.clock = clock;
    }

    @Override
    public void raise(long snapshot) {
      region.guards().bump(snapshot);
      if (region.server().parts().heeds(Parts.InFlight.READERS_WAIT)
          && !region.fast().inFlight().isRowClear(Schema.key(name), snapshot + 1)) {
        throw new NotYet();
      }
    }

    @Override
    public RowView look(ReadView view) {
      StoredRow row = steps().stored(request, region.row(name));
      return RowView.read(name, row, view);
    }

    /** Shows the view the first family only. */
    public void lookAtFirstFamily(ReadView view) {
      RowView.read(name, region.row(name), view, Schema.FAMILIES.subList(0, 1));
    }

    @Override
    public long version() throws IOException {
      StoredRow row = region.row(name);
      WriteBlockers blockers =
          new WriteBlockers(
              row,
              Schema.table(name),
              region.server().parts().plan().level(),
              0,
              region.fast().settled());
      blockers.find(Schema.FAMILIES.stream().map(Place::family).toList(), 0, region.recent());
      return blockers.highestCommit();
    }

    @Override
    public long clock() {
      return Math.max(clock, request.mark());
    }

    @Override
    public boolean isLookedAtOnce() {
      return false;
    }
  }
}
