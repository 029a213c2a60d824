package io.lampone.simulation.client;

import io.lampone.checker.Operation;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.RowOverlay;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.core.range.ScanProgress;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Lists;
import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.Schema;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** Random reads and writes of one open transaction, which is to see its own writes. */
final class TransactionSteps {

  private final SimulatedClient client;
  private final OpenTransaction open;
  private final TransactionMode mode;
  private final List<Bytes> rows;

  /** Writes the same columns again and again, and sends them each time. */
  private final boolean rewrites;

  private final WritePlan plan;
  private final Chance chance;

  TransactionSteps(
      SimulatedClient client,
      OpenTransaction open,
      TransactionMode mode,
      List<Bytes> rows,
      boolean rewrites,
      WritePlan plan) {
    this.client = client;
    this.open = open;
    this.mode = mode;
    this.rows = rows;
    this.rewrites = rewrites;
    this.plan = plan;
    this.chance = client.world().chance();
  }

  /** Takes a step; {@code left} others are to follow. */
  CompletableFuture<?> take(int left) {
    Bytes row = chance.pick(rows);
    if (rewrites && !mode.readOnly()) {
      return left % 2 == 0 ? flush() : append(rows.get(0));
    }
    int what =
        mode.readOnly() ? chance.between(0, client.isOnlooker() ? 1 : 3) : chance.between(0, 13);
    return switch (what) {
      case 0, 1 -> read(List.of(row), false);
      case 2 -> mode.serializable() && chance.oneIn(2) ? scan() : read(rows, false);
      case 3 -> scan();
      case 4, 5, 6, 7 -> append(row);
      case 8, 9 -> put(row, chance.pick(Schema.REGISTERS));
      case 10 -> delete(row, chance.pick(Schema.REGISTERS));
      case 11 -> deleteFamily(row);
      case 12 -> savepoint();
      default -> chance.oneIn(2) ? flush() : rollBackToSavepoint();
    };
  }

  private CompletableFuture<Void> flush() {
    return client.core().driver().start(open.flush());
  }

  private CompletableFuture<?> read(List<Bytes> some, boolean together) {
    List<RowOverlay> own = some.stream().map(this::overlay).toList();
    return new Reads(client.core())
        .rows(open, some, together)
        .thenAccept(
            views -> {
              Reads.keep(open, client.plan().level(), some);
              for (int i = 0; i < some.size(); i++) {
                seen(Objects.requireNonNull(views.get(some.get(i))), own.get(i), Schema.COLUMNS);
              }
            });
  }

  private RowOverlay overlay(Bytes row) {
    return open.overlay(Schema.table(row), Schema.key(row));
  }

  /** Scans. A scan does not see buffered writes: they are flushed first. */
  private CompletableFuture<?> scan() {
    if (mode.serializable()) {
      String table = Schema.table(chance.pick(rows));
      ScanPlan scan =
          ScanPlan.draw(
              chance,
              rows.stream().filter(row -> Schema.table(row).equals(table)).toList(),
              !mode.oneRegionCommit());
      return isBuffered(scan.names())
          ? flush().thenCompose(sent -> scanRange(scan))
          : scanRange(scan);
    }
    List<Bytes> sorted = List.copyOf(new TreeSet<>(rows));
    return isBuffered(sorted)
        ? flush().thenCompose(sent -> read(sorted, true))
        : read(sorted, true);
  }

  private boolean isBuffered(List<Bytes> some) {
    return some.stream().anyMatch(r -> open.buffers(Schema.table(r), Schema.key(r)));
  }

  private CompletableFuture<?> scanRange(ScanPlan scan) {
    ScanProgress progress =
        open.reads().scan(scan.range(client.plan().level()), scan.reversed(), scan.limit());
    return new Reads(client.core())
        .rows(open, scan.names(), true)
        .thenAccept(
            views -> {
              List<RowView> looked = scan.lookAt(views, progress);
              looked.forEach(view -> seen(view, overlay(view.row()), scan.columns()));
              if (scan.families().contains(Schema.LIST.family())) {
                ScanPlan.range(looked).ifPresent(plan::scan);
              }
            });
  }

  private void seen(RowView view, RowOverlay own, List<Schema.Column> columns) {
    for (Schema.Column column : columns) {
      Place place = new Place(view.row(), column);
      Optional<Bytes> value =
          Reads.overlaid(own, column, Optional.ofNullable(view.values().get(column)));
      Optional<Optional<Bytes>> written = plan.written(place);
      if (written.isEmpty()) {
        client.invariantChecker().read(open.startTimestamp(), place, value);
      } else if (!written.get().equals(value)) {
        client
            .world()
            .violated(
                "ReadsOwnWrites",
                "place=" + place + " read=" + value + " written=" + written.get());
      }
      if (column.equals(Schema.LIST)) {
        plan.operation(new Operation.Read(view.row().toUtf8(), Lists.decode(value)));
      }
    }
  }

  private CompletableFuture<?> append(Bytes row) {
    RowOverlay own = overlay(row);
    return new Reads(client.core())
        .rows(open, List.of(row), false)
        .thenCompose(
            views -> {
              RowView view = Objects.requireNonNull(views.get(row));
              Reads.keep(open, client.plan().level(), List.of(row));
              seen(view, own, Schema.COLUMNS);
              Optional<Bytes> before =
                  Reads.overlaid(
                      own, Schema.LIST, Optional.ofNullable(view.values().get(Schema.LIST)));
              long element = client.recorder().newElement();
              Bytes after = Lists.append(before, element);
              plan.operation(new Operation.Append(row.toUtf8(), element));
              return write(row, Schema.LIST, IntentKind.PUT, after);
            });
  }

  private CompletableFuture<?> put(Bytes row, Schema.Column column) {
    // An empty value is a value, and no deletion.
    Bytes value =
        chance.oneIn(5)
            ? Bytes.EMPTY
            : Lists.append(Optional.empty(), client.recorder().newElement());
    return write(row, column, IntentKind.PUT, value);
  }

  private CompletableFuture<?> delete(Bytes row, Schema.Column column) {
    return write(row, column, IntentKind.DELETE_COLUMN, Bytes.EMPTY);
  }

  /** Deletes a family. Family g holds no lists, so the checker needs no record of it. */
  private CompletableFuture<?> deleteFamily(Bytes row) {
    Schema.COLUMNS.stream()
        .filter(column -> column.family().equals(Schema.G))
        .forEach(column -> plan.write(new Place(row, column), Optional.empty()));
    return write(
        Schema.place(row, Schema.G),
        new OpenTransaction.Write(
            IntentKind.DELETE_FAMILY, Bytes.EMPTY, Bytes.EMPTY, FamilyRetention.FOREVER));
  }

  private CompletableFuture<?> write(
      Bytes row, Schema.Column column, IntentKind kind, Bytes value) {
    plan.write(
        new Place(row, column), kind == IntentKind.PUT ? Optional.of(value) : Optional.empty());
    return write(
        Schema.place(row, column.family()),
        new OpenTransaction.Write(kind, column.qualifier(), value, FamilyRetention.FOREVER));
  }

  private CompletableFuture<?> write(RowFamily place, OpenTransaction.Write write) {
    return client.core().driver().start(open.write(client.plan().level(), place, List.of(write)));
  }

  private CompletableFuture<?> savepoint() {
    plan.savepoint(open.savepoint());
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<?> rollBackToSavepoint() {
    plan.rollBack(chance).ifPresent(slot -> open.rollbackTo(slot));
    return CompletableFuture.completedFuture(null);
  }
}
