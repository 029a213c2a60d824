package io.lampone.checker.format;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.HistoryTransaction.Freshness;
import io.lampone.checker.Operation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Writes a history in the format txnhist/1 while it happens. Thread-safe. A call records the
 * current time: call {@link #invoke} before a transaction begins, the others once its outcome is
 * known.
 */
public final class HistoryWriter implements AutoCloseable {

  /** Begins the name of a fault that is over. */
  public static final String HEALED = "heal-";

  /** Error of an end that was never reported: it is unknown. */
  public static final String NO_END = "no-end";

  /** Name of a fault-log event that is not a fault: {@link #violation}. */
  public static final String VIOLATION = "violation";

  private final ObjectMapper json = new ObjectMapper();

  /** Field for the order to which an operation belongs. */
  static final String PATH = "path";

  static final String FAST = "fast";

  /** Field for the isolation level of a transaction; the header's level if absent. */
  static final String ISOLATION = "isolation";

  static final String SERIALIZABLE = "serializable";

  /** Field for the age of what a transaction reads; strict if absent. */
  static final String FRESHNESS = "freshness";

  /** Ranges of keys that a transaction has scanned. */
  static final String SCANS = "scans";

  /** Field for the client whose processes know what any of them does and sees. */
  static final String SESSION = "session";

  /** Operations, with what the reads have shown, of a transaction that is not known to be done. */
  static final String OBSERVED = "observed";

  static final String START = "start_ts";
  static final String COMMIT = "commit_ts";

  static final String TABLE = "table";
  static final String CELL = "cell";
  static final String LEVEL = "level";

  /** Marks a read after all faults were healed and all other processes had ended. */
  static final String FINAL = "final";

  private static final String ID = "txn";

  /** Keys that read the same as a number and as a text. */
  private static final Pattern INTEGER = Pattern.compile("0|[1-9][0-9]{0,17}");

  private final Writer target;
  private final LongSupplier nanos;

  /** True if a key holds one value, and a read of it is that value and no list. */
  private final boolean isRegister;

  /** Client of all processes; set once, before the first invocation. */
  private volatile int session = HistoryTransaction.NO_SESSION;

  /**
   * Writes the header.
   *
   * @param nanos the one monotonic clock of the run
   */
  public HistoryWriter(Writer target, History.Header header, String product, LongSupplier nanos) {
    this.target = target;
    this.nanos = nanos;
    this.isRegister = header.workload().equals(History.Header.REGISTER);
    ObjectNode line = json.createObjectNode();
    line.put("txnhist", 1);
    line.put("workload", header.workload());
    line.put("product", product);
    line.put("claim", header.claim());
    line.put("clock", "mono-ns");
    line.put("clock_slack_ns", header.clockSlackNanos());
    line.put("seed", header.seed());
    line.put("snapshot_sees", "<");
    putUnlessEmpty(line, TABLE, header.table());
    putUnlessEmpty(line, CELL, header.cell());
    putUnlessEmpty(line, LEVEL, header.level());
    write(line);
  }

  /** States that all processes of this writer belong to one client of the product. */
  public HistoryWriter ofClient(int number) {
    session = number;
    return this;
  }

  /** Records the begin of a transaction with these operations, as far as they are known. */
  public void invoke(int process, List<Operation> intended) {
    invoke(process, nanos.getAsLong(), intended);
  }

  /**
   * Same as {@link #invoke(int, List)}, of a transaction that began at {@code began}. A client that
   * knows its writes only after its reads may call this later, but before it requests the commit:
   * no write unrequested by then can be visible.
   */
  public void invoke(int process, long began, List<Operation> intended) {
    write(invocation(process, began, intended));
  }

  /**
   * Same as {@link #invoke(int, long, List)}, by the fast path. The invocation records this because
   * it also applies if the outcome is never reported.
   */
  public void invokeFast(int process, long began, List<Operation> intended) {
    write(invocation(process, began, intended).put(PATH, FAST));
  }

  private ObjectNode invocation(int process, long began, List<Operation> intended) {
    ObjectNode line = line("invoke", process, began);
    line.set("value", operations(intended, false));
    if (session != HistoryTransaction.NO_SESSION) {
      line.put(SESSION, session);
    }
    return line;
  }

  /** Writes that the transaction has committed. */
  public void ok(HistoryTransaction done) {
    write(end(done));
  }

  /**
   * Writes both lines of the last look: a read of every key by a new process after everything has
   * been healed and every other process has ended. Checkers compare acknowledged writes with it.
   */
  public void lastLook(HistoryTransaction done) {
    write(invocation(done.process(), done.invokeNanos(), done.operations()).put(FINAL, true));
    write(end(done).put(FINAL, true));
  }

  private ObjectNode end(HistoryTransaction done) {
    ObjectNode line = line("ok", done.process());
    line.set("value", operations(done.operations(), true));
    if (done.startTimestamp() != 0) {
      line.put(START, done.startTimestamp());
    }
    if (done.commitTimestamp() != 0) {
      line.put(COMMIT, done.commitTimestamp());
    }
    return describe(line, done);
  }

  /** Adds what holds whatever the outcome is. */
  private static ObjectNode describe(ObjectNode line, HistoryTransaction done) {
    putUnlessEmpty(line, ID, done.id());
    if (done.fastPath()) {
      line.put(PATH, FAST);
    }
    if (done.serializable()) {
      line.put(ISOLATION, SERIALIZABLE);
    }
    if (done.freshness() != Freshness.STRICT) {
      line.put(FRESHNESS, done.freshness().name().toLowerCase(Locale.ROOT));
    }
    if (!done.scans().isEmpty()) {
      ArrayNode scans = line.putArray(SCANS);
      done.scans().forEach(range -> addKey(addKey(scans.addArray(), range.first()), range.last()));
    }
    return line;
  }

  /** Writes that the transaction has certainly failed: none of it ever becomes visible. */
  public void failed(int process, String error) {
    write(line("fail", process).put("error", error));
  }

  /**
   * The same, and what its reads have shown at its start timestamp: they count though it has
   * failed.
   *
   * @param row of a conflict, for people; empty if there was none
   * @param winner commit timestamp of the other transaction; 0 if unknown
   */
  public void failed(HistoryTransaction open, String error, String row, long winner) {
    ObjectNode line = line("fail", open.process()).put("error", error);
    putUnlessEmpty(line, "row", row);
    if (winner != 0) {
      line.put("winner_ts", winner);
    }
    if (open.operations().stream().anyMatch(Operation.Read.class::isInstance)) {
      line.set(OBSERVED, operations(open.operations(), true));
      if (open.startTimestamp() != 0) {
        line.put(START, open.startTimestamp());
      }
      describe(line, open);
    }
    write(line);
  }

  /**
   * Writes that the outcome is unknown, and what its reads have shown, which counts if it has
   * committed; the process must not be used again.
   */
  public void unknown(HistoryTransaction open, String error) {
    ObjectNode line = line("info", open.process()).put("error", error);
    line.set(OBSERVED, operations(open.operations(), true));
    write(describe(line, open));
  }

  /** Writes that the outcome is unknown; the process must not be used again. */
  public void unknown(int process, String error, String id) {
    ObjectNode line = line("info", process).put("error", error);
    putUnlessEmpty(line, ID, id);
    write(line);
  }

  /** Writes an event of the fault log, at the current time. */
  public void fault(String name, String value) {
    fault(name, value, nanos.getAsLong());
  }

  /** Writes an event of the fault log, at {@code time}. */
  public void fault(String name, String value, long time) {
    ObjectNode line = json.createObjectNode();
    line.put("type", "info");
    line.put("process", "nemesis");
    line.put("time", time);
    line.put("f", name);
    line.put("value", value);
    write(line);
  }

  /** Writes a violation that a client has just seen and that no transaction can express. */
  public void violation(String text) {
    fault(VIOLATION, text);
  }

  /** Writes the outcome, as returned later by the product, of a transaction of unknown outcome. */
  public void resolved(String id, boolean committed, long start, long commit) {
    ObjectNode line = json.createObjectNode();
    line.put("type", "resolve");
    line.put(ID, id);
    line.put("outcome", committed ? "committed" : "aborted");
    line.put(START, start);
    if (committed) {
      line.put(COMMIT, commit);
    }
    write(line);
  }

  @Override
  public void close() throws IOException {
    target.close();
  }

  private ObjectNode line(String type, int process) {
    return line(type, process, nanos.getAsLong());
  }

  private ObjectNode line(String type, int process, long time) {
    ObjectNode line = json.createObjectNode();
    line.put("type", type);
    line.put("process", process);
    line.put("time", time);
    line.put("f", "txn");
    return line;
  }

  private ArrayNode operations(List<Operation> operations, boolean withReads) {
    ArrayNode all = json.createArrayNode();
    for (Operation operation : operations) {
      ArrayNode one = all.addArray();
      if (operation instanceof Operation.Read read) {
        addKey(one.add("r"), read.key());
        if (withReads) {
          addSeen(one, read.elements());
        } else {
          one.addNull();
        }
      } else if (operation instanceof Operation.Append append) {
        addKey(one.add("append"), append.key()).add(append.element());
      } else if (operation instanceof Operation.Write write) {
        addKey(one.add("w"), write.key()).add(write.value());
      }
    }
    return all;
  }

  /** Adds the key, as a whole number if it is one: not every checker accepts names. */
  private static ArrayNode addKey(ArrayNode operation, String key) {
    return INTEGER.matcher(key).matches() ? operation.add(Long.parseLong(key)) : operation.add(key);
  }

  /** A list; of a register its value, or null if there is none. */
  private void addSeen(ArrayNode operation, List<Long> elements) {
    if (!isRegister || elements.size() > 1) {
      // A register that holds several values is an anomaly: it must stay visible.
      elements.forEach(operation.addArray()::add);
    } else if (elements.isEmpty()) {
      operation.addNull();
    } else {
      operation.add(elements.get(0));
    }
  }

  private static void putUnlessEmpty(ObjectNode line, String field, String value) {
    if (!value.isEmpty()) {
      line.put(field, value);
    }
  }

  private synchronized void write(ObjectNode line) {
    try {
      target.write(line + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException("the history cannot be written", e);
    }
  }
}
