package io.lampone.sql.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * TPC-C in SQL: its nine tables without the columns that only fill rows, its five transactions, and
 * its consistency conditions 1 to 4. Amounts are whole cents. For one thread, on a connection that
 * does not commit by itself.
 */
final class SqlTpcc {

  /** Ten new orders, ten payments, and one of each other kind: the mix of the specification. */
  private static final List<Kind> DECK = deck();

  private static final int DISTRICTS = 10;
  private static final int CUSTOMERS = 30;
  private static final int NAMES = 10;
  private static final int ITEMS = 200;
  private static final int MOST_LINES = 15;
  private static final int LEAST_LINES = 5;
  private static final int LOW_STOCK = 10;
  private static final int REFILL = 91;
  private static final int FULL_STOCK = 100;

  /** One in so many new orders has an item that does not exist, and is rolled back. */
  private static final int ROLLED_BACK = 100;

  /** The last orders whose items are counted. */
  private static final int RECENT = 20;

  private final PreparedStatements statements;
  private final int warehouses;

  /** Distinguishes rows of the history of terminals. */
  private final long terminal;

  private long payments;
  private long tenths;

  enum Kind {
    NEW_ORDER,
    PAYMENT,
    ORDER_STATUS,
    DELIVERY,
    STOCK_LEVEL
  }

  /**
   * @param prefix of the names of its tables
   * @param properties end of each CREATE TABLE
   * @param terminal different for all that write at the same time
   */
  SqlTpcc(Connection connection, String prefix, String properties, int warehouses, long terminal) {
    this.statements = new PreparedStatements(connection, prefix, properties);
    this.warehouses = warehouses;
    this.terminal = terminal;
  }

  private static List<Kind> deck() {
    List<Kind> deck = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      deck.add(Kind.NEW_ORDER);
      deck.add(Kind.PAYMENT);
    }
    deck.addAll(List.of(Kind.ORDER_STATUS, Kind.DELIVERY, Kind.STOCK_LEVEL));
    return List.copyOf(deck);
  }

  /** Makes the tables and fills them. */
  void prepare() throws SQLException {
    statements.create("warehouse (w BIGINT NOT NULL, ytd BIGINT", "w");
    statements.create(
        "district (w BIGINT NOT NULL, d BIGINT NOT NULL, ytd BIGINT, next_o BIGINT", "w, d");
    statements.create(
        "customer (w BIGINT NOT NULL, d BIGINT NOT NULL, c BIGINT NOT NULL, name VARCHAR,"
            + " balance BIGINT, paid BIGINT, payments BIGINT, deliveries BIGINT",
        "w, d, c");
    statements.create(
        "history (t BIGINT NOT NULL, n BIGINT NOT NULL, w BIGINT, d BIGINT, c BIGINT,"
            + " amount BIGINT",
        "t, n");
    statements.create(
        "orders (w BIGINT NOT NULL, d BIGINT NOT NULL, o BIGINT NOT NULL, c BIGINT,"
            + " carrier BIGINT, lines BIGINT",
        "w, d, o");
    statements.create(
        "new_order (w BIGINT NOT NULL, d BIGINT NOT NULL, o BIGINT NOT NULL, x BIGINT", "w, d, o");
    statements.create(
        "order_line (w BIGINT NOT NULL, d BIGINT NOT NULL, o BIGINT NOT NULL,"
            + " n BIGINT NOT NULL, i BIGINT, quantity BIGINT, amount BIGINT, delivered BIGINT",
        "w, d, o, n");
    statements.create("item (i BIGINT NOT NULL, price BIGINT", "i");
    statements.create(
        "stock (w BIGINT NOT NULL, i BIGINT NOT NULL, quantity BIGINT, ytd BIGINT,"
            + " orders BIGINT",
        "w, i");
    statements.execute("CREATE INDEX %scustomer_name ON %scustomer (w, d, name)");
    fill();
  }

  private void fill() throws SQLException {
    for (int i = 1; i <= ITEMS; i++) {
      statements.update("UPSERT INTO %sitem VALUES (?, ?)", i, 100 + 37 * i % 9_900);
    }
    statements.end(true);
    for (int w = 1; w <= warehouses; w++) {
      statements.update("UPSERT INTO %swarehouse VALUES (?, 0)", w);
      for (int i = 1; i <= ITEMS; i++) {
        statements.update("UPSERT INTO %sstock VALUES (?, ?, ?, 0, 0)", w, i, FULL_STOCK);
      }
      for (int d = 1; d <= DISTRICTS; d++) {
        statements.update("UPSERT INTO %sdistrict VALUES (?, ?, 0, 1)", w, d);
        for (int c = 1; c <= CUSTOMERS; c++) {
          statements.update(
              "UPSERT INTO %scustomer VALUES (?, ?, ?, ?, 0, 0, 0, 0)",
              w, d, c, "name-" + c % NAMES);
        }
      }
      statements.end(true);
    }
  }

  /** Runs a new order and a payment, and after each tenth of them the other kinds. */
  void tenthOfDeck(RandomGenerator random) throws SQLException {
    run(Kind.NEW_ORDER, random);
    run(Kind.PAYMENT, random);
    if (++tenths % 10 == 0) {
      run(Kind.ORDER_STATUS, random);
      run(Kind.DELIVERY, random);
      run(Kind.STOCK_LEVEL, random);
    }
  }

  /** Returns a kind with the frequency of the mix. */
  static Kind any(RandomGenerator random) {
    return DECK.get(random.nextInt(DECK.size()));
  }

  /**
   * Runs a transaction to its end.
   *
   * @return true if it is committed; false if the specification wants it rolled back
   */
  boolean run(Kind kind, RandomGenerator random) throws SQLException {
    long w = 1 + random.nextInt(warehouses);
    long d = 1 + random.nextInt(DISTRICTS);
    long c = 1 + random.nextInt(CUSTOMERS);
    boolean commits = true;
    switch (kind) {
      case NEW_ORDER -> commits = newOrder(w, d, c, random);
      case PAYMENT -> payment(w, d, c, random);
      case ORDER_STATUS -> orderStatus(w, d, c);
      case DELIVERY -> delivery(w, 1 + random.nextInt(DISTRICTS));
      case STOCK_LEVEL -> stockLevel(w, d);
    }
    statements.end(commits);
    return commits;
  }

  private boolean newOrder(long w, long d, long c, RandomGenerator random) throws SQLException {
    long order = statements.number("SELECT next_o FROM %sdistrict WHERE w = ? AND d = ?", w, d);
    int lines = LEAST_LINES + random.nextInt(MOST_LINES - LEAST_LINES + 1);
    boolean wrong = random.nextInt(ROLLED_BACK) == 0;
    statements.update("UPSERT INTO %sdistrict (w, d, next_o) VALUES (?, ?, ?)", w, d, order + 1);
    statements.update("UPSERT INTO %sorders VALUES (?, ?, ?, ?, 0, ?)", w, d, order, c, lines);
    statements.update("UPSERT INTO %snew_order VALUES (?, ?, ?, 0)", w, d, order);
    for (int n = 1; n <= lines; n++) {
      long item = wrong && n == lines ? ITEMS + 1 : 1 + random.nextInt(ITEMS);
      long quantity = 1 + random.nextInt(10);
      List<long[]> price = statements.rows("SELECT price FROM %sitem WHERE i = ?", 1, item);
      if (price.isEmpty()) {
        return false;
      }
      long[] stock =
          statements
              .rows("SELECT quantity, ytd, orders FROM %sstock WHERE w = ? AND i = ?", 3, w, item)
              .get(0);
      long left = stock[0] - quantity;
      statements.update(
          "UPSERT INTO %sstock VALUES (?, ?, ?, ?, ?)",
          w, item, left < LOW_STOCK ? left + REFILL : left, stock[1] + quantity, stock[2] + 1);
      statements.update(
          "UPSERT INTO %sorder_line VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
          w, d, order, n, item, quantity, quantity * price.get(0)[0]);
    }
    return true;
  }

  private void payment(long w, long d, long c, RandomGenerator random) throws SQLException {
    long amount = 100 + random.nextInt(500_000);
    long payer = random.nextInt(10) < 6 ? byName(w, d, c) : c;
    statements.update(
        "UPSERT INTO %swarehouse VALUES (?, ?)",
        w, statements.number("SELECT ytd FROM %swarehouse WHERE w = ?", w) + amount);
    statements.update(
        "UPSERT INTO %sdistrict (w, d, ytd) VALUES (?, ?, ?)",
        w, d, statements.number("SELECT ytd FROM %sdistrict WHERE w = ? AND d = ?", w, d) + amount);
    long[] customer =
        statements
            .rows(
                "SELECT balance, paid, payments FROM %scustomer WHERE w = ? AND d = ? AND c = ?",
                3, w, d, payer)
            .get(0);
    statements.update(
        "UPSERT INTO %scustomer (w, d, c, balance, paid, payments) VALUES (?, ?, ?, ?, ?, ?)",
        w, d, payer, customer[0] - amount, customer[1] + amount, customer[2] + 1);
    statements.update(
        "UPSERT INTO %shistory VALUES (?, ?, ?, ?, ?, ?)",
        terminal, payments++, w, d, payer, amount);
  }

  /** Returns the middle one of the customers that have the name of this one. */
  private long byName(long w, long d, long c) throws SQLException {
    List<long[]> found =
        statements.rows(
            "SELECT c FROM %scustomer WHERE w = ? AND d = ? AND name = ? ORDER BY c",
            1, w, d, "name-" + c % NAMES);
    return found.get(found.size() / 2)[0];
  }

  private void orderStatus(long w, long d, long c) throws SQLException {
    long customer = byName(w, d, c);
    List<long[]> last =
        statements.rows(
            "SELECT o, carrier FROM %sorders WHERE w = ? AND d = ? AND c = ?"
                + " ORDER BY o DESC LIMIT 1",
            2, w, d, customer);
    if (!last.isEmpty()) {
      statements.rows(
          "SELECT i, quantity, amount, delivered FROM %sorder_line WHERE w = ? AND d = ? AND o = ?",
          4, w, d, last.get(0)[0]);
    }
  }

  private void delivery(long w, long carrier) throws SQLException {
    for (long d = 1; d <= DISTRICTS; d++) {
      List<long[]> oldest =
          statements.rows(
              "SELECT o FROM %snew_order WHERE w = ? AND d = ? ORDER BY o LIMIT 1", 1, w, d);
      if (oldest.isEmpty()) {
        continue;
      }
      long order = oldest.get(0)[0];
      statements.update("DELETE FROM %snew_order WHERE w = ? AND d = ? AND o = ?", w, d, order);
      long c =
          statements.number("SELECT c FROM %sorders WHERE w = ? AND d = ? AND o = ?", w, d, order);
      statements.update(
          "UPSERT INTO %sorders (w, d, o, carrier) VALUES (?, ?, ?, ?)", w, d, order, carrier);
      long sum = 0;
      for (long[] line :
          statements.rows(
              "SELECT n, amount FROM %sorder_line WHERE w = ? AND d = ? AND o = ?",
              2, w, d, order)) {
        sum += line[1];
        statements.update(
            "UPSERT INTO %sorder_line (w, d, o, n, delivered) VALUES (?, ?, ?, ?, 1)",
            w, d, order, line[0]);
      }
      long[] customer =
          statements
              .rows(
                  "SELECT balance, deliveries FROM %scustomer WHERE w = ? AND d = ? AND c = ?",
                  2, w, d, c)
              .get(0);
      statements.update(
          "UPSERT INTO %scustomer (w, d, c, balance, deliveries) VALUES (?, ?, ?, ?, ?)",
          w, d, c, customer[0] + sum, customer[1] + 1);
    }
  }

  private void stockLevel(long w, long d) throws SQLException {
    long next = statements.number("SELECT next_o FROM %sdistrict WHERE w = ? AND d = ?", w, d);
    statements.number(
        "SELECT COUNT(DISTINCT l.i) FROM %sorder_line l JOIN %sstock s ON s.w = l.w AND s.i = l.i"
            + " WHERE l.w = ? AND l.d = ? AND l.o >= ? AND l.o < ? AND s.quantity < 15",
        w, d, next - RECENT, next);
  }

  /** Returns the number of orders that were ever made. */
  long orders() throws SQLException {
    long orders = statements.number("SELECT SUM(next_o - 1) FROM %sdistrict");
    statements.end(true);
    return orders;
  }

  /** Checks the conditions in one snapshot; returns those that do not hold, for people. */
  List<String> violations() throws SQLException {
    List<String> violated = new ArrayList<>();
    for (long[] warehouse : statements.rows("SELECT w, ytd FROM %swarehouse", 2)) {
      long sum = statements.number("SELECT SUM(ytd) FROM %sdistrict WHERE w = ?", warehouse[0]);
      if (sum != warehouse[1]) {
        violated.add("1: w=" + warehouse[0] + " ytd=" + warehouse[1] + " ofDistricts=" + sum);
      }
    }
    for (long[] district : statements.rows("SELECT w, d, next_o FROM %sdistrict", 3)) {
      district(district[0], district[1], district[2] - 1, violated);
    }
    statements.end(true);
    return violated;
  }

  private void district(long w, long d, long last, List<String> violated) throws SQLException {
    String where = "w=" + w + " d=" + d;
    long[] orders =
        statements
            .rows("SELECT MAX(o), SUM(lines) FROM %sorders WHERE w = ? AND d = ?", 2, w, d)
            .get(0);
    long[] open =
        statements
            .rows("SELECT MAX(o), MIN(o), COUNT(*) FROM %snew_order WHERE w = ? AND d = ?", 3, w, d)
            .get(0);
    if (orders[0] != last || open[2] > 0 && open[0] != last) {
      violated.add("2: " + where + " next=" + (last + 1) + " orders=" + orders[0]);
    }
    if (open[2] > 0 && open[0] - open[1] + 1 != open[2]) {
      violated.add("3: " + where + " new orders=" + open[2] + " of " + open[1] + ".." + open[0]);
    }
    long lines = statements.number("SELECT COUNT(*) FROM %sorder_line WHERE w = ? AND d = ?", w, d);
    if (lines != orders[1]) {
      violated.add("4: " + where + " lines=" + lines + " ofOrders=" + orders[1]);
    }
  }
}
