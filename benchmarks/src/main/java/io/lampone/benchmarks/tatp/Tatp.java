package io.lampone.benchmarks.tatp;

import static io.lampone.benchmarks.oltp.OltpRow.key;
import static io.lampone.benchmarks.oltp.OltpRow.put;
import static io.lampone.benchmarks.oltp.OltpRow.set;

import io.lampone.benchmarks.oltp.Loader;
import io.lampone.benchmarks.oltp.OltpRow;
import io.lampone.benchmarks.oltp.Terminal;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;

/**
 * Register of subscribers: seven short transactions, four fifths of which only read. A row that is
 * not found is no failure, and its frequency is fixed by the description (section 2.4 there); such
 * a transaction counts as rolled back by itself.
 *
 * <p>The ten bits, hex digits and bytes of a subscriber are one column each in the description;
 * here each ten are one text, except for the bit that is written.
 */
public final class Tatp implements Workload {

  static final TableName SUBSCRIBER = TableName.valueOf("tatp-subscriber");
  static final TableName SUBSCRIBER_BY_NUMBER = TableName.valueOf("tatp-subscriber-nbr");
  static final TableName ACCESS_INFO = TableName.valueOf("tatp-access-info");
  static final TableName SPECIAL_FACILITY = TableName.valueOf("tatp-special-facility");
  static final TableName CALL_FORWARDING = TableName.valueOf("tatp-call-forwarding");

  /** Access infos and special facilities of a subscriber have types from 1 to this. */
  static final int TYPES = 4;

  /** Calls are forwarded from 0, 8 or 16 o'clock. */
  static final int START_TIMES = 3;

  static final int HOURS_BETWEEN = 8;

  private static final int LONGEST_FORWARDING = 8;
  private static final int ACTIVE_PERCENT = 85;

  private final int subscribers;

  /** Call forwardings that there must be. */
  private final LongAdder forwardings = new LongAdder();

  /** Creates a register of this number of subscribers. */
  public Tatp(int subscribers) {
    if (subscribers < 1) {
      throw new IllegalArgumentException("too few subscribers, subscribers=" + subscribers);
    }
    this.subscribers = subscribers;
  }

  @Override
  public String name() {
    return "tatp";
  }

  @Override
  public List<String> types() {
    return TatpWork.types();
  }

  @Override
  public List<TableName> tables() {
    return List.of(
        SUBSCRIBER, SUBSCRIBER_BY_NUMBER, ACCESS_INFO, SPECIAL_FACILITY, CALL_FORWARDING);
  }

  @Override
  public void load(Loader loader) throws IOException {
    Terminal chance = new Terminal(0, new SplittableRandom(subscribers));
    for (int subscriber = 1; subscriber <= subscribers; subscriber++) {
      Put row = put(key(subscriber));
      set(row, "sub_nbr", number(subscriber));
      set(row, "bit_1", chance.uniform(0, 1));
      set(row, "bits", digits(chance, 9, 1));
      set(row, "hex", digits(chance, 10, 9));
      set(row, "bytes", digits(chance, 30, 9));
      set(row, "msc_location", chance.uniform(1, Integer.MAX_VALUE - 1));
      set(row, "vlr_location", chance.uniform(1, Integer.MAX_VALUE - 1));
      loader.write(SUBSCRIBER, row);
      loader.write(
          SUBSCRIBER_BY_NUMBER, set(put(key(new byte[0], number(subscriber))), "s_id", subscriber));
      for (int type : someTypes(chance)) {
        Put info = put(key(subscriber, type));
        set(info, "data1", chance.uniform(0, 255));
        set(info, "data2", chance.uniform(0, 255));
        set(info, "data3", digits(chance, 3, 9));
        set(info, "data4", digits(chance, 5, 9));
        loader.write(ACCESS_INFO, info);
      }
      for (int type : someTypes(chance)) {
        loadFacility(loader, chance, subscriber, type);
      }
    }
  }

  private void loadFacility(Loader loader, Terminal chance, int subscriber, int type)
      throws IOException {
    Put facility = put(key(subscriber, type));
    set(facility, "is_active", chance.percent(ACTIVE_PERCENT) ? 1 : 0);
    set(facility, "error_cntrl", chance.uniform(0, 255));
    set(facility, "data_a", chance.uniform(0, 255));
    set(facility, "data_b", digits(chance, 5, 9));
    loader.write(SPECIAL_FACILITY, facility);
    int count = chance.uniform(0, START_TIMES);
    List<Integer> times = new ArrayList<>(List.of(0, 1, 2));
    for (int i = 0; i < count; i++) {
      int time = times.remove(chance.uniform(0, times.size() - 1)) * HOURS_BETWEEN;
      loader.write(
          CALL_FORWARDING,
          forwarding(
              subscriber,
              type,
              time,
              time + chance.uniform(1, LONGEST_FORWARDING),
              digits(chance, 15, 9)));
      forwardings.increment();
    }
  }

  /** Draws one to four of the four types. */
  private static List<Integer> someTypes(Terminal chance) {
    List<Integer> types = new ArrayList<>(List.of(1, 2, 3, 4));
    int count = chance.uniform(1, TYPES);
    while (types.size() > count) {
      types.remove(chance.uniform(0, types.size() - 1));
    }
    return types;
  }

  static Put forwarding(int subscriber, int type, int start, int end, String number) {
    Put row = put(key(subscriber, type, start));
    set(row, "end_time", end);
    return set(row, "numberx", number);
  }

  /** Returns the phone number of a subscriber: 15 digits. */
  static String number(int subscriber) {
    return String.format(Locale.ROOT, "%015d", subscriber);
  }

  static String digits(Terminal chance, int count, int most) {
    StringBuilder digits = new StringBuilder();
    for (int i = 0; i < count; i++) {
      digits.append(chance.uniform(0, most));
    }
    return digits.toString();
  }

  @Override
  public Work next(Terminal terminal) {
    return TatpWork.choose(terminal, subscribers, forwardings);
  }

  @Override
  public List<String> conditions() {
    return List.of(
        "as many call forwardings as were loaded, and inserted, less those deleted",
        "every call forwarding has its special facility",
        "every special facility has its subscriber",
        "every number leads to its subscriber");
  }

  @Override
  public List<String> check(LamponeClient client) throws IOException {
    return client.run(this::check);
  }

  private List<String> check(Transaction transaction) throws IOException {
    List<String> violations = new ArrayList<>();
    Set<Integer> known = new HashSet<>();
    for (OltpRow row : all(transaction, SUBSCRIBER)) {
      known.add(row.keyNumber(0));
    }
    Set<Integer> byNumber = new HashSet<>();
    for (OltpRow row : all(transaction, SUBSCRIBER_BY_NUMBER)) {
      byNumber.add((int) row.number("s_id"));
    }
    if (known.size() != subscribers || !known.equals(byNumber)) {
      violations.add("subscribers=" + known.size() + " numbers=" + byNumber.size());
    }
    Set<Integer> facilities = new HashSet<>();
    for (OltpRow row : all(transaction, SPECIAL_FACILITY)) {
      facilities.add(row.keyNumber(0) * (TYPES + 1) + row.keyNumber(1));
      if (!known.contains(row.keyNumber(0))) {
        violations.add("a facility without its subscriber, subscriber=" + row.keyNumber(0));
      }
    }
    long count = 0;
    for (OltpRow row : all(transaction, CALL_FORWARDING)) {
      count++;
      if (!facilities.contains(row.keyNumber(0) * (TYPES + 1) + row.keyNumber(1))) {
        violations.add(
            "a forwarding without its facility, subscriber="
                + row.keyNumber(0)
                + " type="
                + row.keyNumber(1));
      }
    }
    if (count != forwardings.sum()) {
      violations.add("forwardings=" + count + " expected=" + forwardings.sum());
    }
    return violations;
  }

  private static List<OltpRow> all(Transaction transaction, TableName table) throws IOException {
    List<OltpRow> rows = new ArrayList<>();
    try (ResultScanner scanner = transaction.table(table).getScanner(new Scan())) {
      for (Result row : scanner) {
        rows.add(OltpRow.of(row));
      }
    }
    return rows;
  }
}
