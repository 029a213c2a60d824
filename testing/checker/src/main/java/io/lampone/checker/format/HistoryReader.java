package io.lampone.checker.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.HistoryTransaction.Freshness;
import io.lampone.checker.KeyRange;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads a history in the format txnhist/1: one JSON object a line. Invalid content is refused with
 * its line; a transaction without a line of completion has an unknown outcome.
 */
public final class HistoryReader {

  private static final String NEMESIS = "nemesis";
  private static final String VALUE = "value";

  private final ObjectReader json = new ObjectMapper().reader();
  private final List<Draft> drafts = new ArrayList<>();
  private final Map<Integer, Draft> open = new HashMap<>();
  private final Map<String, Resolution> resolutions = new TreeMap<>();

  /** Processes with an unknown outcome behind them: an order through it would be wrong. */
  private final Set<Integer> dead = new HashSet<>();

  private final List<String> violations = new ArrayList<>();

  private boolean resolves = true;
  private long line;
  private int faults;

  private record Resolution(boolean committed, long start, long commit) {}

  /** A transaction without its completion so far. */
  private static final class Draft {
    private final int number;
    private final int process;
    private final long invokeNanos;
    private List<Operation> operations;
    private long completeNanos = HistoryTransaction.NEVER;
    private Outcome outcome = Outcome.UNKNOWN;
    private String id = "";
    private long start;
    private long commit;
    private boolean fast;
    private boolean serializable;
    private List<KeyRange> scans = List.of();

    /** Operations with reads of a transaction that its client does not know to have committed. */
    private List<Operation> observed = List.of();

    private Freshness freshness = Freshness.STRICT;
    private int session;

    Draft(int number, int process, long invokeNanos, List<Operation> operations) {
      this.number = number;
      this.process = process;
      this.invokeNanos = invokeNanos;
      this.operations = operations;
    }

    /** Adds what it has read, which counts because it has committed. */
    Draft withReads() {
      if (outcome == Outcome.UNKNOWN && !observed.isEmpty()) {
        operations = observed;
      }
      return this;
    }

    HistoryTransaction finish() {
      return new HistoryTransaction(
          number,
          process,
          invokeNanos,
          completeNanos,
          outcome,
          operations,
          id,
          start,
          commit,
          fast,
          serializable,
          scans,
          freshness,
          session);
    }
  }

  private HistoryReader() {}

  /**
   * Reads all of {@code source}.
   *
   * @throws HistoryFormatException if the content is not a history
   */
  public static History read(Reader source) throws IOException {
    return new HistoryReader().readAll(new BufferedReader(source));
  }

  /** The same without the outcomes that the product has told after the run. */
  public static History readUnresolved(Reader source) throws IOException {
    HistoryReader reader = new HistoryReader();
    reader.resolves = false;
    return reader.readAll(new BufferedReader(source));
  }

  private History readAll(BufferedReader source) throws IOException {
    History.Header header = null;
    for (String text = source.readLine(); text != null; text = source.readLine()) {
      line++;
      if (text.isBlank()) {
        continue;
      }
      JsonNode node = parse(text);
      if (header == null) {
        header = header(node);
      } else {
        take(node);
      }
    }
    if (header == null) {
      throw new HistoryFormatException(line, "empty: a history begins with a header");
    }
    List<HistoryTransaction> transactions = new ArrayList<>(drafts.size());
    for (Draft draft : drafts) {
      Resolution known = resolutions.get(draft.id);
      if (known == null || !resolves || draft.outcome != Outcome.UNKNOWN) {
        transactions.add(draft.finish());
      } else {
        // What it has observed counts only if it has committed: its ranges go with its reads.
        HistoryTransaction seen =
            known.committed() ? draft.withReads().finish() : draft.finish().scanning(List.of());
        transactions.add(seen.resolved(known.committed(), known.start(), known.commit()));
      }
    }
    return new History(header, transactions, faults, violations);
  }

  private JsonNode parse(String text) {
    try {
      JsonNode node = json.readTree(text);
      if (!node.isObject()) {
        throw new HistoryFormatException(line, "not a JSON object");
      }
      return node;
    } catch (JsonProcessingException e) {
      throw new HistoryFormatException(line, "not JSON", e);
    }
  }

  private History.Header header(JsonNode node) {
    if (node.path("txnhist").asInt() != 1) {
      throw new HistoryFormatException(line, "no header of txnhist/1");
    }
    String workload = node.path("workload").asText();
    if (!workload.equals(History.Header.LIST_APPEND) && !workload.equals(History.Header.REGISTER)) {
      throw new HistoryFormatException(line, "unknown workload, workload=" + workload);
    }
    return new History.Header(
        workload,
        node.path("claim").asText(),
        node.path("seed").asLong(),
        node.path("clock_slack_ns").asLong(),
        node.path(HistoryWriter.TABLE).asText(),
        node.path(HistoryWriter.CELL).asText(),
        node.path(HistoryWriter.LEVEL).asText());
  }

  private void take(JsonNode node) {
    String type = node.path("type").asText();
    if (type.equals("resolve")) {
      boolean committed = node.path("outcome").asText().equals("committed");
      resolutions.put(
          required(node, "txn").asText(),
          new Resolution(
              committed,
              timestamp(node, HistoryWriter.START),
              timestamp(node, HistoryWriter.COMMIT)));
      return;
    }
    if (node.path("process").asText().equals(NEMESIS)) {
      if (node.path("f").asText().equals(HistoryWriter.VIOLATION)) {
        violations.add(node.path("value").asText());
      } else {
        faults++;
      }
      return;
    }
    int process = required(node, "process").asInt();
    if (type.equals("invoke")) {
      invoke(node, process);
    } else {
      complete(node, process, outcome(type));
    }
  }

  private void invoke(JsonNode node, int process) {
    if (dead.contains(process)) {
      throw new HistoryFormatException(
          line, "a process goes on after an unknown outcome, process=" + process);
    }
    Draft draft =
        new Draft(
            drafts.size(),
            process,
            required(node, "time").asLong(),
            operations(node, VALUE, false));
    if (open.put(process, draft) != null) {
      throw new HistoryFormatException(
          line, "a process has two transactions at a time, process=" + process);
    }
    draft.fast = isFast(node);
    draft.serializable = isSerializable(node);
    draft.freshness = freshness(node, draft.freshness);
    draft.session = node.path(HistoryWriter.SESSION).asInt(HistoryTransaction.NO_SESSION);
    drafts.add(draft);
  }

  private static boolean isFast(JsonNode node) {
    return node.path(HistoryWriter.PATH).asText().equals(HistoryWriter.FAST);
  }

  private boolean isSerializable(JsonNode node) {
    JsonNode isolation = node.path(HistoryWriter.ISOLATION);
    if (!isolation.isMissingNode() && !isolation.asText().equals(HistoryWriter.SERIALIZABLE)) {
      throw new HistoryFormatException(line, "unknown isolation, isolation=" + isolation);
    }
    return !isolation.isMissingNode();
  }

  private Freshness freshness(JsonNode node, Freshness otherwise) {
    JsonNode freshness = node.path(HistoryWriter.FRESHNESS);
    return switch (freshness.asText()) {
      case "" -> otherwise;
      case "session" -> Freshness.SESSION;
      case "latest" -> Freshness.LATEST;
      default ->
          throw new HistoryFormatException(line, "unknown freshness, freshness=" + freshness);
    };
  }

  private void complete(JsonNode node, int process, Outcome outcome) {
    Draft draft = open.remove(process);
    if (draft == null) {
      throw new HistoryFormatException(line, "completes what was never begun, process=" + process);
    }
    draft.outcome = outcome;
    draft.id = node.path("txn").asText();
    draft.fast |= isFast(node);
    draft.serializable |= isSerializable(node);
    draft.freshness = freshness(node, draft.freshness);
    if (outcome != Outcome.UNKNOWN) {
      draft.completeNanos = required(node, "time").asLong();
    }
    if (outcome == Outcome.OK) {
      draft.operations = operations(node, VALUE, true);
      draft.scans = scans(node);
      draft.start = timestamp(node, HistoryWriter.START);
      draft.commit = timestamp(node, HistoryWriter.COMMIT);
    } else if (outcome == Outcome.FAILED) {
      if (node.has(HistoryWriter.OBSERVED)) {
        draft.operations = operations(node, HistoryWriter.OBSERVED, true);
        draft.scans = scans(node);
        draft.start = timestamp(node, HistoryWriter.START);
      }
    } else {
      dead.add(process);
      if (node.has(HistoryWriter.OBSERVED)) {
        draft.observed = operations(node, HistoryWriter.OBSERVED, true);
        draft.scans = scans(node);
      }
    }
  }

  /** Returns a timestamp of the product; 0 if it is absent. */
  private long timestamp(JsonNode node, String field) {
    return node.has(field) ? number(node.get(field)) : 0;
  }

  private List<KeyRange> scans(JsonNode node) {
    List<KeyRange> scans = new ArrayList<>();
    for (JsonNode range : node.path(HistoryWriter.SCANS)) {
      if (range.size() != 2) {
        throw new HistoryFormatException(
            line, "a range has a first and a last key, range=" + range);
      }
      try {
        scans.add(new KeyRange(range.path(0).asText(), range.path(1).asText()));
      } catch (IllegalArgumentException e) {
        throw new HistoryFormatException(line, "no range of keys, range=" + range, e);
      }
    }
    return scans;
  }

  private Outcome outcome(String type) {
    return switch (type) {
      case "ok" -> Outcome.OK;
      case "fail" -> Outcome.FAILED;
      case "info" -> Outcome.UNKNOWN;
      default -> throw new HistoryFormatException(line, "unknown type, type=" + type);
    };
  }

  private List<Operation> operations(JsonNode node, String field, boolean withReads) {
    List<Operation> operations = new ArrayList<>();
    for (JsonNode part : required(node, field)) {
      String key = part.path(1).asText();
      JsonNode value = part.path(2);
      switch (part.path(0).asText()) {
        case "r" -> {
          if (withReads) {
            operations.add(new Operation.Read(key, elements(value)));
          }
        }
        case "append" -> operations.add(new Operation.Append(key, number(value)));
        case "w" -> operations.add(new Operation.Write(key, number(value)));
        default -> throw new HistoryFormatException(line, "unknown operation, operation=" + part);
      }
    }
    return operations;
  }

  private List<Long> elements(JsonNode value) {
    List<Long> elements = new ArrayList<>();
    if (value.isArray()) {
      value.forEach(element -> elements.add(number(element)));
    } else if (!value.isNull() && !value.isMissingNode()) {
      elements.add(number(value));
    }
    return elements;
  }

  private long number(JsonNode value) {
    if (!value.canConvertToLong() || !value.isIntegralNumber()) {
      throw new HistoryFormatException(line, "not a whole number, value=" + value);
    }
    return value.asLong();
  }

  private JsonNode required(JsonNode node, String field) {
    JsonNode value = node.get(field);
    if (value == null) {
      throw new HistoryFormatException(line, "field missing, field=" + field);
    }
    return value;
  }
}
