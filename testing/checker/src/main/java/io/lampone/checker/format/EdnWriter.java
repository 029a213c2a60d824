package io.lampone.checker.format;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.HistoryTransaction.Freshness;
import io.lampone.checker.Operation;
import io.lampone.checker.Operation.Append;
import io.lampone.checker.Operation.Read;
import io.lampone.checker.Operation.Write;
import io.lampone.checker.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Writes a history as EDN, one operation map a line, in the vocabulary that Elle reads ({@code
 * list-append} and {@code rw-register}). Elle takes the order of lines for real time: so lines are
 * ordered by time, invocations before completions of the same time, and each is moved by the slack
 * of the clocks, invocations back and completions forth.
 */
public final class EdnWriter {

  private final boolean register;

  /** One line, without its index. */
  private record Event(long nanos, boolean completion, String type, HistoryTransaction of) {}

  private EdnWriter(History history) {
    this.register = history.header().workload().equals(History.Header.REGISTER);
  }

  /**
   * Writes all transactions; those without a completion end as {@code :info}, behind all others.
   */
  public static void write(History history, Appendable out) throws IOException {
    new EdnWriter(history).writeAll(history, out);
  }

  private void writeAll(History history, Appendable out) throws IOException {
    long slack = history.header().clockSlackNanos();
    List<Event> events = new ArrayList<>(2 * history.transactions().size());
    for (HistoryTransaction each : history.transactions()) {
      events.add(new Event(each.invokeNanos() - slack, false, "invoke", each));
      long end = each.completeNanos();
      events.add(
          new Event(
              end == HistoryTransaction.NEVER ? end : end + slack,
              true,
              completion(each.outcome()),
              each));
    }
    events.sort(Comparator.comparingLong(Event::nanos).thenComparing(Event::completion));
    long last =
        events.stream()
            .mapToLong(Event::nanos)
            .filter(nanos -> nanos != HistoryTransaction.NEVER)
            .max()
            .orElse(0);
    for (int index = 0; index < events.size(); index++) {
      Event event = events.get(index);
      out.append("{:index " + index + ", :type :" + event.type())
          .append(", :process " + event.of().process())
          .append(", :time " + Math.min(event.nanos(), last))
          .append(freshness(event.of().freshness()))
          .append(", :f :txn, :value " + value(event.of(), event.type().equals("ok")) + "}\n");
    }
  }

  /** Absent if strict, as in a history's file. */
  private static String freshness(Freshness freshness) {
    return freshness == Freshness.STRICT
        ? ""
        : ", :freshness :" + freshness.name().toLowerCase(Locale.ROOT);
  }

  private static String completion(Outcome outcome) {
    return switch (outcome) {
      case OK -> "ok";
      case FAILED -> "fail";
      case UNKNOWN -> "info";
    };
  }

  private String value(HistoryTransaction transaction, boolean withReads) {
    return transaction.operations().stream()
        .map(operation -> operation(operation, withReads))
        .collect(Collectors.joining(" ", "[", "]"));
  }

  private String operation(Operation operation, boolean withReads) {
    String key = key(operation.key());
    if (operation instanceof Read read) {
      return "[:r " + key + " " + (withReads ? found(read.elements()) : "nil") + "]";
    }
    return operation instanceof Append append
        ? "[:append " + key + " " + append.element() + "]"
        : "[:w " + key + " " + ((Write) operation).value() + "]";
  }

  private String found(List<Long> elements) {
    if (register) {
      return elements.isEmpty() ? "nil" : elements.get(0).toString();
    }
    return elements.stream().map(String::valueOf).collect(Collectors.joining(" ", "[", "]"));
  }

  /** Returns a key as an integer, or as a string if it is none. */
  private static String key(String key) {
    return key.matches("-?[0-9]{1,18}")
        ? key
        : '"' + key.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
