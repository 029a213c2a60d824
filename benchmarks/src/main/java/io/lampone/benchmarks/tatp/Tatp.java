package io.lampone.benchmarks.tatp;

import io.lampone.benchmarks.oltp.Loader;
import io.lampone.benchmarks.oltp.Terminal;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.client.LamponeClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.TableName;

/**
 * Register of subscribers: seven short transactions, four fifths of which only read. A row that is
 * not found is no failure, and its frequency is fixed by the description (section 2.4 there); such
 * a transaction counts as rolled back by itself.
 *
 * <p>The ten bits, hex digits and bytes of a subscriber are one column each in the description;
 * here each ten are one text, except for the bit that is written.
 */
public final class Tatp implements Workload {

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

  /** Key of a special facility. */
  public record Facility(int subscriber, int type) {}

  /**
   * Rows of one snapshot.
   *
   * @param subscribers those whose rows have all columns
   * @param byNumber subscribers to which the numbers lead
   * @param facilities all special facilities
   * @param forwardings special facility of each call forwarding
   */
  public record Rows(
      Set<Integer> subscribers,
      Set<Integer> byNumber,
      Set<Facility> facilities,
      List<Facility> forwardings) {}

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
    return TatpTables.all();
  }

  @Override
  public void load(Loader loader) throws IOException {
    populate(new TatpTables.Filling(loader));
  }

  /** Inserts the initial rows. Once for each register. */
  public <E extends Exception> void populate(TatpPopulation<E> rows) throws E {
    Terminal chance = new Terminal(0, new SplittableRandom(subscribers));
    for (int subscriber = 1; subscriber <= subscribers; subscriber++) {
      rows.subscriber(
          subscriber,
          number(subscriber),
          new TatpPopulation.Data(
              chance.uniform(0, 1),
              digits(chance, 9, 1),
              digits(chance, 10, 9),
              digits(chance, 30, 9)),
          chance.uniform(1, Integer.MAX_VALUE - 1),
          chance.uniform(1, Integer.MAX_VALUE - 1));
      for (int type : someTypes(chance)) {
        rows.accessInfo(
            new Facility(subscriber, type),
            chance.uniform(0, 255),
            chance.uniform(0, 255),
            digits(chance, 3, 9),
            digits(chance, 5, 9));
      }
      for (int type : someTypes(chance)) {
        populate(rows, chance, new Facility(subscriber, type));
      }
    }
  }

  private <E extends Exception> void populate(
      TatpPopulation<E> rows, Terminal chance, Facility facility) throws E {
    rows.facility(
        facility,
        chance.percent(ACTIVE_PERCENT) ? 1 : 0,
        chance.uniform(0, 255),
        chance.uniform(0, 255),
        digits(chance, 5, 9));
    int count = chance.uniform(0, START_TIMES);
    List<Integer> times = new ArrayList<>(List.of(0, 1, 2));
    for (int i = 0; i < count; i++) {
      int time = times.remove(chance.uniform(0, times.size() - 1)) * HOURS_BETWEEN;
      rows.insertForwarding(
          facility, time, time + chance.uniform(1, LONGEST_FORWARDING), digits(chance, 15, 9));
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
  public TatpWork next(Terminal terminal) {
    return TatpWork.choose(terminal, subscribers, forwardings);
  }

  @Override
  public List<String> conditions() {
    return List.of(
        "as many call forwardings as were loaded, and inserted, less those deleted",
        "every call forwarding has its special facility",
        "every special facility has its subscriber, with all columns",
        "every number leads to its subscriber");
  }

  @Override
  public List<String> check(LamponeClient client) throws IOException {
    return client.run(transaction -> violations(new TatpTables(transaction).rows()));
  }

  /** Returns the conditions that these rows violate; empty if all hold. */
  public List<String> violations(Rows rows) {
    List<String> violations = new ArrayList<>();
    Set<Integer> known = rows.subscribers();
    if (known.size() != subscribers || !known.equals(rows.byNumber())) {
      violations.add("subscribers=" + known.size() + " numbers=" + rows.byNumber().size());
    }
    for (Facility facility : rows.facilities()) {
      if (!known.contains(facility.subscriber())) {
        violations.add("a facility without its subscriber, " + facility);
      }
    }
    for (Facility forwarding : rows.forwardings()) {
      if (!rows.facilities().contains(forwarding)) {
        violations.add("a forwarding without its facility, " + forwarding);
      }
    }
    if (rows.forwardings().size() != forwardings.sum()) {
      violations.add("forwardings=" + rows.forwardings().size() + " expected=" + forwardings.sum());
    }
    return violations;
  }
}
