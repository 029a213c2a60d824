package io.lampone.embedded.model;

import io.lampone.embedded.model.SeenRow.SeenCell;
import io.lampone.protocol.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.PageFilter;

/**
 * Random operations of one transaction, each done in reality and in the model, and compared.
 *
 * <p>Not thread-safe.
 */
final class Operations {

  private final Random random;
  private final RandomSpecs specs;
  private final UnaryOperator<Result> tamper;
  private final StringBuilder text = new StringBuilder();

  private int pagesBeyondTheFilter;

  /**
   * @param tamper changes real results before the comparison, for the test of the test
   */
  Operations(Random random, RandomSpecs specs, UnaryOperator<Result> tamper) {
    this.random = random;
    this.specs = specs;
    this.tamper = tamper;
  }

  /** Returns a description of the last operation. */
  String text() {
    return text.toString();
  }

  /** Returns the number of pages longer than their filter, because the scanner was reopened. */
  int pagesBeyondTheFilter() {
    return pagesBeyondTheFilter;
  }

  /** Runs one operation. The caller handles Lampone's own exceptions. */
  void any(Session session) throws IOException, InterruptedException {
    text.setLength(0);
    int table = random.nextInt(session.tables().size());
    int choice = random.nextInt(session.writes() ? 100 : 42);
    if (choice < 18) {
      get(session, table);
    } else if (choice < 24) {
      multiGet(session, table);
    } else if (choice < 29) {
      exists(session, table);
    } else if (choice < 42) {
      scan(session, table);
    } else if (choice < 62) {
      put(session, table);
    } else if (choice < 72) {
      delete(session, table);
    } else if (choice < 77) {
      increment(session, table);
    } else if (choice < 82) {
      append(session, table);
    } else if (choice < 88) {
      checkAndMutate(session, table);
    } else if (choice < 93) {
      mutateRow(session, table);
    } else {
      batch(session, table);
    }
  }

  private void get(Session session, int table) throws IOException {
    Bytes row = specs.row();
    ReadSpec spec = specs.read(false);
    say("get", table, row, spec);
    SeenRow expected = expected(session, table).get(row, spec);
    Result actual = session.tables().get(table).get(spec.get(row));
    Mismatch.check(text(), expected, SeenRow.of(row, tamper.apply(actual)));
  }

  private void multiGet(Session session, int table) throws IOException {
    List<Get> gets = new ArrayList<>();
    List<SeenRow> expected = new ArrayList<>();
    say("multi-get", table);
    for (int i = random.nextInt(5); i >= 0; i--) {
      Bytes row = specs.row();
      ReadSpec spec = specs.read(false);
      say(row, spec);
      gets.add(spec.get(row));
      expected.add(expected(session, table).get(row, spec));
    }
    Result[] results = session.tables().get(table).get(gets);
    List<SeenRow> actual = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      actual.add(SeenRow.of(expected.get(i).key(), tamper.apply(results[i])));
    }
    Mismatch.check(text(), expected, actual);
  }

  private void exists(Session session, int table) throws IOException {
    Bytes row = specs.row();
    ReadSpec spec = specs.read(false);
    say("exists", table, row, spec);
    boolean expected = !expected(session, table).get(row, spec).cells().isEmpty();
    Mismatch.check(text(), expected, session.tables().get(table).exists(spec.get(row)));
  }

  private void scan(Session session, int table) throws IOException {
    ScanSpec spec = specs.scan();
    say("scan", table, spec);
    Scan scan = spec.scan();
    List<SeenRow> expected = expected(session, table).scan(spec);
    List<Result> results = new ArrayList<>();
    try (ResultScanner scanner = session.tables().get(table).getScanner(scan)) {
      // Not the iterator, which would wrap a conflict.
      for (Result result = scanner.next(); result != null; result = scanner.next()) {
        if (spec.batch() > 0 && result.size() > spec.batch()) {
          throw new Mismatch(text() + ": batch", spec.batch(), result);
        }
        Result shown = tamper.apply(result);
        if (!shown.isEmpty()) {
          results.add(shown);
        }
      }
    }
    List<SeenRow> actual = SeenRow.of(results);
    if (scan.getFilter() instanceof PageFilter page && !expected.equals(actual)) {
      checkLongPages(session, table, spec, page, actual);
    } else {
      Mismatch.check(text(), expected, actual);
    }
  }

  /**
   * Checks a page. A page filter counts rows from the start of its scanner: HBase promises no more
   * than that. A reopened scanner shows more rows, but never omits one before the page is full, and
   * never shows one that does not exist.
   */
  private void checkLongPages(
      Session session, int table, ScanSpec spec, PageFilter page, List<SeenRow> actual)
      throws IOException {
    pagesBeyondTheFilter++;
    ReadSpec unfiltered = new ReadSpec(spec.read().columns(), Optional.empty(), "none");
    ScanSpec all =
        new ScanSpec(
            unfiltered,
            spec.start(),
            spec.includeStart(),
            spec.stop(),
            spec.includeStop(),
            spec.reversed(),
            0,
            0,
            0,
            0,
            false);
    List<SeenRow> everything = expected(session, table).scan(all);
    List<Bytes> regions = new ArrayList<>();
    regions.add(Bytes.EMPTY);
    regions.addAll(RandomSpecs.SPLIT_KEYS);
    for (Bytes region : regions) {
      List<SeenRow> of = inRegion(everything, region);
      List<SeenRow> shown = inRegion(actual, region);
      boolean longEnough = shown.size() >= Math.min(of.size(), page.getPageSize());
      if (!longEnough || shown.size() > of.size()) {
        throw new Mismatch(text() + ": rows of region " + region, of, shown);
      }
      Mismatch.check(text() + ": region " + region, of.subList(0, shown.size()), shown);
    }
  }

  private static List<SeenRow> inRegion(List<SeenRow> rows, Bytes region) {
    NavigableSet<Bytes> borders = new TreeSet<>(RandomSpecs.SPLIT_KEYS);
    borders.add(Bytes.EMPTY);
    return rows.stream().filter(row -> borders.floor(row.key()).equals(region)).toList();
  }

  private void put(Session session, int table) throws IOException {
    Table real = session.tables().get(table);
    List<Put> puts = new ArrayList<>();
    List<ModelWrite> writes = new ArrayList<>();
    say("put", table);
    for (int i = random.nextInt(4) == 0 ? random.nextInt(4) : 0; i >= 0; i--) {
      puts.add(randomPut(table, specs.row(), writes));
    }
    writes.forEach(session.model()::write);
    if (puts.size() == 1) {
      real.put(puts.get(0));
    } else {
      real.put(puts);
    }
  }

  private Put randomPut(int table, Bytes row, List<ModelWrite> writes) {
    Put put = new Put(row.toArray());
    say("put", row);
    for (int i = random.nextInt(3); i >= 0; i--) {
      boolean counts = random.nextInt(6) == 0;
      Column column = counts ? specs.counter() : specs.column();
      Bytes value = counts ? specs.number() : specs.value();
      boolean twice = put.has(column.family().toArray(), column.qualifier().toArray());
      if (!twice) {
        say(column, SeenRow.brief(value));
        put.addColumn(column.family().toArray(), column.qualifier().toArray(), value.toArray());
        writes.add(ModelWrite.put(table, row, column, value));
      }
    }
    return put;
  }

  private void delete(Session session, int table) throws IOException {
    List<ModelWrite> writes = new ArrayList<>();
    say("delete", table);
    Delete delete = randomDelete(table, specs.row(), writes);
    writes.forEach(session.model()::write);
    session.tables().get(table).delete(delete);
  }

  private Delete randomDelete(int table, Bytes row, List<ModelWrite> writes) {
    Delete delete = new Delete(row.toArray());
    switch (random.nextInt(5)) {
      case 0 -> {
        say("delete row", row);
        RandomSpecs.FAMILIES.forEach(f -> writes.add(ModelWrite.deleteFamily(table, row, f)));
      }
      case 1 -> {
        Bytes family = specs.family();
        say("delete family", row, family);
        delete.addFamily(family.toArray());
        writes.add(ModelWrite.deleteFamily(table, row, family));
      }
      default -> {
        Column column = random.nextInt(6) == 0 ? specs.counter() : specs.column();
        say("delete column", row, column);
        if (random.nextBoolean()) {
          delete.addColumns(column.family().toArray(), column.qualifier().toArray());
        } else {
          delete.addColumn(column.family().toArray(), column.qualifier().toArray());
        }
        writes.add(ModelWrite.deleteColumn(table, row, column));
      }
    }
    return delete;
  }

  private void increment(Session session, int table) throws IOException {
    Bytes row = specs.row();
    Column column = specs.counter();
    long amount = random.nextInt(20) - 10;
    say("increment", table, row, column, amount);
    Bytes old = session.model().row(table, row).get(column);
    long before = old == null ? 0 : org.apache.hadoop.hbase.util.Bytes.toLong(old.toArray());
    Bytes sum = Bytes.wrap(org.apache.hadoop.hbase.util.Bytes.toBytes(before + amount));
    session.model().write(ModelWrite.put(table, row, column, sum));
    Result result =
        session
            .tables()
            .get(table)
            .increment(
                new Increment(row.toArray())
                    .addColumn(column.family().toArray(), column.qualifier().toArray(), amount));
    Mismatch.check(text(), oneCell(row, column, sum), SeenRow.of(row, tamper.apply(result)));
  }

  private void append(Session session, int table) throws IOException {
    Bytes row = specs.row();
    Column column = specs.column();
    Bytes tail = Bytes.utf8("+" + random.nextInt(10));
    say("append", table, row, column, tail);
    Bytes old = session.model().row(table, row).getOrDefault(column, Bytes.EMPTY);
    Bytes all = Bytes.wrap(org.apache.hadoop.hbase.util.Bytes.add(old.toArray(), tail.toArray()));
    session.model().write(ModelWrite.put(table, row, column, all));
    Result result =
        session
            .tables()
            .get(table)
            .append(
                new Append(row.toArray())
                    .addColumn(
                        column.family().toArray(), column.qualifier().toArray(), tail.toArray()));
    Mismatch.check(text(), oneCell(row, column, all), SeenRow.of(row, tamper.apply(result)));
  }

  private void checkAndMutate(Session session, int table) throws IOException {
    Bytes row = specs.row();
    CheckAndMutate.Builder check = CheckAndMutate.newBuilder(row.toArray());
    say("check", table, row);
    boolean holds = randomCondition(session, table, row, check);
    List<ModelWrite> writes = new ArrayList<>();
    CheckAndMutate operation =
        random.nextBoolean()
            ? check.build(randomPut(table, row, writes))
            : check.build(randomDelete(table, row, writes));
    if (holds) {
      writes.forEach(session.model()::write);
    }
    boolean done = session.tables().get(table).checkAndMutate(operation).isSuccess();
    Mismatch.check(text(), holds, done);
  }

  /** Sets a condition and returns true if it holds. */
  private boolean randomCondition(
      Session session, int table, Bytes row, CheckAndMutate.Builder check) throws IOException {
    Column column = specs.column();
    byte[] family = column.family().toArray();
    byte[] qualifier = column.qualifier().toArray();
    Bytes present = session.model().row(table, row).get(column);
    // To HBase a column without a value and a column that is not there are the same here.
    boolean nothing = present == null || present.isEmpty();
    switch (random.nextInt(4)) {
      case 0 -> {
        Bytes wanted = present != null && random.nextBoolean() ? present : specs.value();
        say("if equal", column, SeenRow.brief(wanted));
        check.ifEquals(family, qualifier, wanted.toArray());
        return wanted.isEmpty() ? nothing : wanted.equals(present);
      }
      case 1 -> {
        Bytes wanted = Bytes.utf8("v" + random.nextInt(4));
        CompareOperator operator = specs.operator();
        say("if", operator, column, wanted);
        check.ifMatches(family, qualifier, operator, wanted.toArray());
        return present != null && compares(wanted.compareTo(present), operator);
      }
      case 2 -> {
        ReadSpec spec = specs.read(false);
        ReadSpec filtered = new ReadSpec(Map.of(), spec.filters(), spec.filterText());
        say("if filter", spec.filterText());
        check.ifMatches(spec.newFilter().orElseGet(FirstKeyOnlyFilter::new));
        return !expected(session, table).get(row, filtered).cells().isEmpty();
      }
      default -> {
        say("if not exists", column);
        check.ifNotExists(family, qualifier);
        return nothing;
      }
    }
  }

  /** Compares as HBase does: the constant is on the left of the operator. */
  private static boolean compares(int order, CompareOperator operator) {
    return switch (operator) {
      case LESS -> order < 0;
      case LESS_OR_EQUAL -> order <= 0;
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case GREATER_OR_EQUAL -> order >= 0;
      case GREATER -> order > 0;
      case NO_OP -> throw new AssertionError("not an operator");
    };
  }

  private void mutateRow(Session session, int table) throws IOException {
    Bytes row = specs.row();
    List<ModelWrite> writes = new ArrayList<>();
    say("mutate row", table);
    RowMutations mutations = rowMutations(table, row, writes);
    writes.forEach(session.model()::write);
    session.tables().get(table).mutateRow(mutations);
  }

  private RowMutations rowMutations(int table, Bytes row, List<ModelWrite> writes)
      throws IOException {
    List<Mutation> mutations = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      mutations.add(
          random.nextInt(3) == 0
              ? randomDelete(table, row, writes)
              : randomPut(table, row, writes));
    }
    return RowMutations.of(mutations);
  }

  private void batch(Session session, int table) throws IOException, InterruptedException {
    List<Row> actions = new ArrayList<>();
    List<SeenRow> expected = new ArrayList<>();
    say("batch", table);
    for (int i = random.nextInt(5); i >= 0; i--) {
      Bytes row = specs.row();
      List<ModelWrite> writes = new ArrayList<>();
      SeenRow seen = new SeenRow(row, List.of());
      switch (random.nextInt(4)) {
        case 0 -> actions.add(randomPut(table, row, writes));
        case 1 -> actions.add(randomDelete(table, row, writes));
        case 2 -> actions.add(rowMutations(table, row, writes));
        default -> {
          ReadSpec spec = specs.read(false);
          say("get", row, spec);
          actions.add(spec.get(row));
          seen = expected(session, table).get(row, spec);
        }
      }
      // Reads of a batch see the writes before them.
      writes.forEach(session.model()::write);
      expected.add(seen);
    }
    Object[] results = new Object[actions.size()];
    session.tables().get(table).batch(actions, results);
    for (int i = 0; i < results.length; i++) {
      if (actions.get(i) instanceof Get) {
        Result result = tamper.apply((Result) results[i]);
        Mismatch.check(
            text() + ": action " + i, expected.get(i), SeenRow.of(expected.get(i).key(), result));
      }
    }
  }

  private static SeenRow oneCell(Bytes row, Column column, Bytes value) {
    return new SeenRow(row, List.of(new SeenCell(column, value)));
  }

  private static ExpectedRead expected(Session session, int table) {
    return new ExpectedRead(session.model(), table, RandomSpecs.SPLIT_KEYS);
  }

  private void say(Object... words) {
    for (Object word : words) {
      text.append(text.isEmpty() ? "" : " ").append(word);
    }
  }
}
