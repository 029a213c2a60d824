package io.lampone.simulation.client;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.Outcome;
import io.lampone.checker.format.HistoryWriter;
import io.lampone.simulation.world.FaultHistory;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Views of the clients of a run, in the format txnhist/1, with the writer of the fault lab. The
 * simulator's knowledge of outcomes is left out: an outcome unknown to the client stays unknown.
 */
public final class HistoryFile {

  private static final String PRODUCT = "lampone-simulation";

  private final List<Line> lines = new ArrayList<>();

  /** One line of the history, at a moment of true time. */
  private record Line(long nanos, Consumer<HistoryWriter> what) {}

  private HistoryFile() {}

  /** Writes the history; the caller closes {@code target}. */
  public static void write(
      Writer target, History.Header header, HistoryRecorder recorder, FaultHistory faults) {
    HistoryFile file = new HistoryFile();
    recorder.entries().forEach(file::add);
    for (FaultHistory.Line fault : faults.lines()) {
      file.add(fault.nanos(), writer -> writer.fault(fault.name(), fault.target(), fault.nanos()));
    }
    file.writeTo(target, header);
  }

  private void add(long nanos, Consumer<HistoryWriter> what) {
    lines.add(new Line(nanos, what));
  }

  private void add(HistoryRecorder.Entry entry) {
    HistoryTransaction seen = entry.seen();
    if (entry.last()) {
      add(entry.endedNanos(), writer -> writer.lastLook(seen));
      return;
    }
    add(
        seen.invokeNanos(),
        writer -> {
          if (seen.fastPath()) {
            writer.invokeFast(seen.process(), seen.invokeNanos(), seen.operations());
          } else {
            writer.invoke(seen.process(), seen.invokeNanos(), seen.operations());
          }
        });
    add(
        entry.endedNanos(),
        writer -> {
          if (seen.outcome() == Outcome.OK) {
            writer.ok(seen);
          } else if (seen.outcome() == Outcome.FAILED) {
            writer.failed(seen, entry.why(), "", 0);
          } else {
            writer.unknown(seen.process(), entry.why(), seen.id());
          }
        });
  }

  private void writeTo(Writer target, History.Header header) {
    // Stable: an invocation and the end before it may share a moment, and were added in order.
    lines.sort(Comparator.comparingLong(Line::nanos));
    long[] nowNanos = new long[1];
    HistoryWriter writer = new HistoryWriter(target, header, PRODUCT, () -> nowNanos[0]);
    for (Line line : lines) {
      nowNanos[0] = line.nanos();
      line.what().accept(writer);
    }
  }
}
