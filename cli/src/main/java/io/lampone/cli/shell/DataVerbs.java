package io.lampone.cli.shell;

import io.lampone.protocol.Bytes;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.ParseFilter;
import org.jspecify.annotations.Nullable;

/** Commands that read and write cells. */
final class DataVerbs {

  private static final List<String> COLUMN_OPTIONS = List.of("COLUMNS", "COLUMN");
  private static final List<String> SCAN_OPTIONS =
      List.of(
          "STARTROW",
          "STOPROW",
          "ROWPREFIXFILTER",
          "FILTER",
          "LIMIT",
          "COLUMNS",
          "COLUMN",
          "REVERSED");

  private DataVerbs() {}

  static List<Verb> list() {
    return List.of(
        new Verb(
            "get",
            "get 'TABLE', 'ROW' [, 'FAMILY' | 'FAMILY:QUALIFIER' ...]",
            "Reads a row, or some columns of it.",
            "get 'bank', 'account-00000', 'a:balance'",
            DataVerbs::get),
        new Verb(
            "put",
            "put 'TABLE', 'ROW', 'FAMILY:QUALIFIER', 'VALUE'",
            "Writes a cell.",
            "put 'bank', 'account-00000', 'a:owner', 'Anna'",
            DataVerbs::put),
        new Verb(
            "scan",
            "scan 'TABLE' [, {STARTROW => 'A', STOPROW => 'B', ROWPREFIXFILTER => 'P', FILTER =>"
                + " \"FILTER\", LIMIT => N, COLUMNS => ['FAMILY' | 'FAMILY:QUALIFIER', ...],"
                + " REVERSED => true}]",
            "Reads many rows, in the order of their keys. STOPROW itself is left out. FILTER: in the"
                + " filter language of HBase.",
            "scan 'bank', {FILTER => \"ValueFilter(=, 'binary:5')\", LIMIT => 10}",
            DataVerbs::scan),
        new Verb(
            "count",
            "count 'TABLE' [, {STARTROW => 'A', STOPROW => 'B', ROWPREFIXFILTER => 'P', FILTER =>"
                + " \"FILTER\"}]",
            "Counts the rows.",
            "count 'bank', {ROWPREFIXFILTER => 'account-'}",
            DataVerbs::count),
        new Verb(
            "incr",
            "incr 'TABLE', 'ROW', 'FAMILY:QUALIFIER' [, N]",
            "Adds to a cell that holds a number of 8 bytes.",
            "incr 'bank', 'account-00000', 'a:visits', 2",
            DataVerbs::increment),
        new Verb(
            "delete",
            "delete 'TABLE', 'ROW', 'FAMILY:QUALIFIER'",
            "Deletes a cell.",
            "delete 'bank', 'account-00000', 'a:owner'",
            DataVerbs::delete),
        new Verb(
            "deleteall",
            "deleteall 'TABLE', 'ROW' [, 'FAMILY' | 'FAMILY:QUALIFIER']",
            "Deletes a row, or one family or cell of it.",
            "deleteall 'bank', 'account-00000'",
            DataVerbs::deleteAll));
  }

  private static void get(ShellSession session, Arguments arguments) throws IOException {
    TableName table = arguments.table();
    Get get = new Get(arguments.row());
    for (Bytes column : arguments.words("a column")) {
      add(get, Arguments.Column.parse(column));
    }
    Map<String, Argument> options = arguments.options(COLUMN_OPTIONS);
    arguments.end();
    for (Argument columns : options.values()) {
      for (Bytes column : arguments.asWords(columns, "a column")) {
        add(get, Arguments.Column.parse(column));
      }
    }
    Result result = session.read(tx -> tx.table(table).get(get));
    session.output().columns("COLUMN", "CELL");
    session.output().cells(result);
    session.output().rows(result.isEmpty() ? 0 : 1);
  }

  private static void add(Get get, Arguments.Column column) {
    if (column.qualifier().isPresent()) {
      get.addColumn(column.family().toArray(), column.qualifier().get().toArray());
    } else {
      get.addFamily(column.family().toArray());
    }
  }

  private static void put(ShellSession session, Arguments arguments) throws IOException {
    TableName table = arguments.table();
    byte[] row = arguments.row();
    Arguments.Column column = arguments.column();
    byte[] value = arguments.word("the value").toArray();
    arguments.end();
    byte[] family = column.family().toArray();
    byte[] qualifier = column.requireQualifier();
    session.write(
        tx -> {
          tx.table(table).put(new Put(row).addColumn(family, qualifier, value));
          return true;
        });
  }

  private static void scan(ShellSession session, Arguments arguments) throws IOException {
    ShellOutput output = session.output();
    // Printed with the first row, so that a scan that fails prints nothing.
    Runnable header = () -> output.columns("ROW", "COLUMN+CELL");
    long rows = rows(session, arguments, SCAN_OPTIONS, header, output::row);
    if (rows == 0) {
      header.run();
    }
    output.rows(rows);
  }

  private static void count(ShellSession session, Arguments arguments) throws IOException {
    session
        .output()
        .rows(rows(session, arguments, SCAN_OPTIONS.subList(0, 4), () -> {}, row -> {}));
  }

  /** Reads the rows selected by the arguments and returns their number. */
  private static long rows(
      ShellSession session,
      Arguments arguments,
      List<String> known,
      Runnable first,
      Consumer<Result> each)
      throws IOException {
    TableName table = arguments.table();
    Scan scan = new Scan();
    Map<String, Argument> options = arguments.options(known);
    arguments.end();
    options.forEach((key, value) -> apply(scan, key, value, arguments));
    Argument prefix = options.get("ROWPREFIXFILTER");
    if (prefix != null && scan.isReversed()) {
      down(scan, arguments.asWord(prefix, "ROWPREFIXFILTER").toArray());
    }
    return session.read(
        tx -> {
          long seen = 0;
          try (Table view = tx.table(table);
              ResultScanner results = view.getScanner(scan)) {
            for (Result row = next(results); row != null; row = next(results)) {
              if (seen == 0) {
                first.run();
              }
              each.accept(row);
              session.output().require();
              seen++;
            }
          }
          return seen;
        });
  }

  /** Returns the next row, also from a buffer only if the statement has not been cancelled. */
  private static @Nullable Result next(ResultScanner results) throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("cancelled");
    }
    return results.next();
  }

  private static void apply(Scan scan, String key, Argument value, Arguments arguments) {
    if (COLUMN_OPTIONS.contains(key)) {
      for (Bytes text : arguments.asWords(value, "a column")) {
        Arguments.Column column = Arguments.Column.parse(text);
        if (column.qualifier().isPresent()) {
          scan.addColumn(column.family().toArray(), column.qualifier().get().toArray());
        } else {
          scan.addFamily(column.family().toArray());
        }
      }
      return;
    }
    Bytes word = arguments.asWord(value, key);
    switch (key) {
      case "STARTROW" -> scan.withStartRow(word.toArray());
      case "STOPROW" -> scan.withStopRow(word.toArray());
      case "ROWPREFIXFILTER" -> scan.setStartStopRowForPrefixScan(word.toArray());
      case "FILTER" -> scan.setFilter(filter(word, arguments));
      case "LIMIT" -> scan.setLimit(arguments.asCount(word, key));
      case "REVERSED" -> scan.setReversed(arguments.asFlag(word, key));
      default -> throw new IllegalStateException("option without meaning, key=" + key);
    }
  }

  /** Selects the rows of a prefix for a reversed scan; HBase orders the limits for others only. */
  private static void down(Scan scan, byte[] prefix) {
    byte[] next = new Scan().setStartStopRowForPrefixScan(prefix).getStopRow();
    scan.withStartRow(next, next.length == 0).withStopRow(prefix, true);
  }

  private static Filter filter(Bytes text, Arguments arguments) {
    try {
      return new ParseFilter().parseFilterString(text.toArray());
    } catch (CharacterCodingException | RuntimeException e) {
      throw arguments.wrong("not a filter of HBase: " + text + ": " + e.getMessage());
    }
  }

  private static void increment(ShellSession session, Arguments arguments) throws IOException {
    TableName table = arguments.table();
    byte[] row = arguments.row();
    Arguments.Column column = arguments.column();
    long amount =
        arguments.optionalWord("the number").map(n -> arguments.asNumber(n, "N")).orElse(1L);
    arguments.end();
    byte[] family = column.family().toArray();
    byte[] qualifier = column.requireQualifier();
    long value =
        session.write(tx -> tx.table(table).incrementColumnValue(row, family, qualifier, amount));
    session.output().line("COUNTER VALUE = " + value);
  }

  private static void delete(ShellSession session, Arguments arguments) throws IOException {
    TableName table = arguments.table();
    Delete delete = new Delete(arguments.row());
    Arguments.Column column = arguments.column();
    arguments.end();
    delete.addColumns(column.family().toArray(), column.requireQualifier());
    run(session, table, delete);
  }

  private static void deleteAll(ShellSession session, Arguments arguments) throws IOException {
    TableName table = arguments.table();
    Delete delete = new Delete(arguments.row());
    arguments
        .optionalWord("the column")
        .map(Arguments.Column::parse)
        .ifPresent(
            column -> {
              byte[] family = column.family().toArray();
              if (column.qualifier().isPresent()) {
                delete.addColumns(family, column.qualifier().get().toArray());
              } else {
                delete.addFamily(family);
              }
            });
    arguments.end();
    run(session, table, delete);
  }

  private static void run(ShellSession session, TableName table, Delete delete) throws IOException {
    session.write(
        tx -> {
          // Copied: HBase's table clears its argument, and run may retry this function.
          tx.table(table).delete(new Delete(delete));
          return true;
        });
  }
}
