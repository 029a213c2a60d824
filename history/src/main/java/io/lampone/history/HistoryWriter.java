package io.lampone.history;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Writes a history in the format txnhist/1 while it happens. Thread-safe; whoever calls takes the
 * time by calling: {@link #invoke} before it begins a transaction, the others after it knows the
 * end.
 */
public final class HistoryWriter implements AutoCloseable {

  private final ObjectMapper json = new ObjectMapper();

  /** Says in which order an operation stands. */
  static final String PATH = "path";

  static final String FAST = "fast";

  private final Writer target;
  private final LongSupplier nanos;

  /**
   * Writes the header.
   *
   * @param nanos the one monotonic clock of the run
   */
  public HistoryWriter(Writer target, History.Header header, String product, LongSupplier nanos) {
    this.target = target;
    this.nanos = nanos;
    ObjectNode line = json.createObjectNode();
    line.put("txnhist", 1);
    line.put("workload", header.workload());
    line.put("product", product);
    line.put("claim", header.claim());
    line.put("clock", "mono-ns");
    line.put("clock_slack_ns", header.clockSlackNanos());
    line.put("seed", header.seed());
    line.put("snapshot_sees", "<");
    write(line);
  }

  /** A process is about to begin a transaction that will, as far as is known, do this. */
  public void invoke(int process, List<Operation> intended) {
    invoke(process, nanos.getAsLong(), intended);
  }

  /**
   * Same as {@link #invoke(int, List)}, of a transaction that began at {@code began}. Whoever knows
   * what it writes only after it has read may say so later, but before it asks for its commit: what
   * has not been asked for by then cannot be visible.
   */
  public void invoke(int process, long began, List<Operation> intended) {
    write(invocation(process, began, intended));
  }

  /**
   * Same as {@link #invoke(int, long, List)}, by the fast path. It is said here, because somebody
   * who never says how it ended promises less all the same.
   */
  public void invokeFast(int process, long began, List<Operation> intended) {
    write(invocation(process, began, intended).put(PATH, FAST));
  }

  private ObjectNode invocation(int process, long began, List<Operation> intended) {
    ObjectNode line = line("invoke", process, began);
    line.set("value", operations(intended, false));
    return line;
  }

  /** It has committed. */
  public void ok(HistoryTransaction done) {
    ObjectNode line = line("ok", done.process());
    line.set("value", operations(done.operations(), true));
    line.put("txn", done.id());
    if (done.startTimestamp() != 0) {
      line.put("start_ts", done.startTimestamp());
    }
    if (done.commitTimestamp() != 0) {
      line.put("commit_ts", done.commitTimestamp());
    }
    if (done.fastPath()) {
      line.put(PATH, FAST);
    }
    write(line);
  }

  /** It is certain that nothing of it is ever visible. */
  public void failed(int process, String error) {
    write(line("fail", process).put("error", error));
  }

  /** Nobody knows; the process must not be used again. */
  public void unknown(int process, String error, String id) {
    write(line("info", process).put("error", error).put("txn", id));
  }

  /** Something was done to the cluster. */
  public void fault(String name, String value) {
    ObjectNode line = json.createObjectNode();
    line.put("type", "info");
    line.put("process", "nemesis");
    line.put("time", nanos.getAsLong());
    line.put("f", name);
    line.put("value", value);
    write(line);
  }

  /** What the product says later of a transaction whose outcome was unknown. */
  public void resolved(String id, boolean committed, long start, long commit) {
    ObjectNode line = json.createObjectNode();
    line.put("type", "resolve");
    line.put("txn", id);
    line.put("outcome", committed ? "committed" : "aborted");
    line.put("start_ts", start);
    if (committed) {
      line.put("commit_ts", commit);
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
        one.add("r").add(read.key());
        if (withReads) {
          read.elements().forEach(one.addArray()::add);
        } else {
          one.addNull();
        }
      } else if (operation instanceof Operation.Append append) {
        one.add("append").add(append.key()).add(append.element());
      } else if (operation instanceof Operation.Write write) {
        one.add("w").add(write.key()).add(write.value());
      }
    }
    return all;
  }

  private synchronized void write(ObjectNode line) {
    try {
      target.write(line + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException("the history cannot be written", e);
    }
  }
}
