package io.lampone.simulation.hbase;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.coprocessor.core.fence.ReadAdmission;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.coprocessor.core.visibility.Certification;
import io.lampone.coprocessor.core.visibility.RangeCertification;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.simulation.world.Schema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Certifications at one region. Certification of a range reads one row after the other, each at a
 * different moment.
 */
public final class RegionCertifications {

  private final ServedRegion region;

  public RegionCertifications(ServedRegion region) {
    this.region = region;
  }

  /**
   * Answers with a birth on a row between a snapshot and a commit timestamp; 0 if there is none.
   */
  public void point(
      Bytes row,
      CertifyRequest request,
      Map<Bytes, Set<Bytes>> read,
      Consumer<RegionAnswer<Long>> answer) {
    CertifySteps steps =
        region
            .server()
            .parts()
            .certifying(new Certification(request, read, new CertifiedRow(row), region.guards()));
    region.answering(
        answer,
        () -> {
          steps.admit();
          next(steps, List.of(row), request.commitTimestamp(), answer, () -> point(steps, answer));
        });
  }

  private <T> void next(
      CertifySteps steps,
      List<Bytes> rows,
      long commit,
      Consumer<RegionAnswer<T>> answer,
      Runnable look) {
    region.next(
        steps.waits() ? () -> new RegionReads(region).whenClear(rows, commit, answer, look) : look);
  }

  private void point(CertifySteps steps, Consumer<RegionAnswer<Long>> answer) {
    region.answering(
        answer,
        () -> {
          long changed = steps.look();
          region.next(
              () ->
                  region.answering(
                      answer,
                      () -> {
                        steps.confirm();
                        answer.accept(new RegionAnswer.Done<>(changed));
                      }));
        });
  }

  /**
   * Result of one request for a range.
   *
   * @param looked the rows that it has looked at, by name
   * @param changed the first of them that has changed; null if there is none
   * @param changedAt when that was
   * @param pointers undecided intents in them
   */
  public record Batch(
      List<Bytes> looked, @Nullable Bytes changed, long changedAt, List<Intent> pointers) {}

  /**
   * Answers with the first changed row of some, or with their undecided intents. Some of the last
   * rows may be left for another request.
   *
   * @param rows the rows of the range that lie here, ascending
   * @param families that were read
   */
  public void range(
      List<Bytes> rows,
      List<Bytes> families,
      CertifyScan sent,
      Consumer<RegionAnswer<Batch>> answer) {
    RangeSteps steps = region.server().parts().certifyingRanges();
    CertifyScan request = steps.request(sent);
    region.answering(
        answer,
        () -> {
          RangeCertification certification =
              RangeCertification.admit(
                  request, new CertifiedRegion(), steps.admittedBy(region.guards()));
          int most = region.server().world().chance().between(1, rows.size());
          Look look =
              new Look(
                  steps, certification, rows.subList(0, most), new TreeSet<>(families), request);
          region.next(
              () ->
                  new RegionReads(region)
                      .whenClear(
                          rows, request.commitTimestamp(), answer, () -> look.go(0, answer)));
        });
  }

  /** A row that is certified. */
  private final class CertifiedRow implements Certification.Row {

    private final Bytes name;

    CertifiedRow(Bytes name) {
      this.name = name;
    }

    @Override
    public void awaitWrites(long timestamp) {
      throw new IllegalStateException("no event of the simulator waits");
    }

    @Override
    public long bornAbove(long timestamp) {
      return region.recent().bornAbove(Schema.key(name), timestamp);
    }

    @Override
    public StoredRow stored() {
      return region.row(name);
    }

    /** No simulated table changes. */
    @Override
    public void requireAboveFloor(long snapshot) {}
  }

  /** The region of a range; no simulated table changes. */
  private final class CertifiedRegion implements RangeCertification.Region {

    @Override
    public long bornAbove(Bytes row, long timestamp) {
      return region.recent().bornAbove(row, timestamp);
    }

    @Override
    public long tableFloor() {
      return 0;
    }
  }

  /** Read of several rows, one event each. */
  private final class Look {

    private final RangeSteps steps;
    private final RangeCertification certification;
    private final List<Bytes> rows;
    private final Set<Bytes> families;
    private final CertifyScan request;
    private final List<Intent> pointers = new ArrayList<>();
    private long changedAt;

    Look(
        RangeSteps steps,
        RangeCertification certification,
        List<Bytes> rows,
        Set<Bytes> families,
        CertifyScan request) {
      this.steps = steps;
      this.certification = certification;
      this.rows = rows;
      this.families = families;
      this.request = request;
    }

    void go(int number, Consumer<RegionAnswer<Batch>> answer) {
      region.answering(
          answer,
          () -> {
            Bytes row = rows.get(number);
            for (Bytes family : families) {
              if (changedAt == 0) {
                look(row, family);
              }
            }
            boolean last = changedAt != 0 || number + 1 == rows.size();
            region.next(last ? () -> end(number, answer) : () -> go(number + 1, answer));
          });
    }

    private void end(int number, Consumer<RegionAnswer<Batch>> answer) {
      region.answering(
          answer,
          () -> {
            ReadAdmission.requireHolds(request.startTimestamp(), region.guards());
            List<Bytes> looked = rows.subList(0, number + 1);
            answer.accept(
                new RegionAnswer.Done<>(
                    new Batch(
                        looked, changedAt == 0 ? null : rows.get(number), changedAt, pointers)));
          });
    }

    private void look(Bytes name, Bytes family) {
      StoredRow row = region.row(name);
      Set<Long> pointed = new HashSet<>();
      certification.enter(row, family);
      try {
        row.visit(
            new Selection(List.of(family), List.of(), 0, request.commitTimestamp() - 1),
            cell -> take(Schema.place(name, family), cell, pointed));
      } catch (IOException e) {
        throw new IllegalStateException("a simulated row can always be read", e);
      }
    }

    private Next take(RowFamily place, StoredCell cell, Set<Long> pointed) throws IOException {
      return switch (certification.look(cell)) {
        case NEXT_VERSION -> Next.VERSION;
        case NEXT_COLUMN -> Next.COLUMN;
        case NEXT_FAMILY -> Next.FAMILY;
        case CHANGED -> {
          changedAt = certification.changedAt();
          yield Next.STOP;
        }
        case POINT -> {
          if (steps.points() && pointed.add(certification.undecidedStart())) {
            RowFamily leader = certification.undecidedCell().leader().orElse(place);
            pointers.add(
                new Intent(new TransactionId(certification.undecidedStart(), leader), place));
          }
          yield Next.COLUMN;
        }
      };
    }
  }
}
