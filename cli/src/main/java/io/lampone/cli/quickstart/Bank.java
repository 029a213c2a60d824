package io.lampone.cli.quickstart;

import io.lampone.cli.CommandException;
import io.lampone.cli.TableAdministration;
import io.lampone.cli.shell.Database;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeAdmin.TransactionalTable;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/**
 * Table of accounts over several regions with a constant sum: transfers only move money. Balances
 * are decimal text, readable in any shell.
 */
final class Bank {

  /** Regions of the table: more than one a server, so that most transfers cross servers. */
  static final int REGIONS = 4;

  /** Limit of {@link #accounts}: one transaction writes them all. */
  static final int MAX_ACCOUNTS = 10_000;

  /** Initial balance of every account. */
  static final long OPENING_BALANCE = 1_000;

  private static final byte[] FAMILY = {'a'};
  private static final byte[] BALANCE = Bytes.utf8("balance").toArray();

  /** Pattern of the names from {@link #accountName}. */
  private static final Pattern ACCOUNT = Pattern.compile("account-[0-9]{5}");

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  private final Database database;
  private final TableName name;
  private final int accounts;

  /** State in one snapshot. */
  record State(int accounts, long sum) {}

  Bank(Database database, TableName name, int accounts) {
    if (accounts < 2 || accounts > MAX_ACCOUNTS) {
      throw new IllegalArgumentException(
          "number of accounts must be in 2.." + MAX_ACCOUNTS + ", accounts=" + accounts);
    }
    this.database = database;
    this.name = name;
    this.accounts = accounts;
  }

  int accounts() {
    return accounts;
  }

  /** Returns the state that every snapshot must show. */
  State expected() {
    return new State(accounts, accounts * OPENING_BALANCE);
  }

  /** Creates the table if it is missing; returns true if it was. */
  boolean createTable() throws IOException {
    for (TransactionalTable existing : database.admin().listTables()) {
      if (existing.name().equals(name)) {
        return false;
      }
    }
    List<Bytes> splits = new ArrayList<>();
    for (int region = 1; region < Math.min(REGIONS, accounts); region++) {
      splits.add(Bytes.wrap(row(region * accounts / REGIONS)));
    }
    new TableAdministration(database.admin())
        .create(name, List.of(Bytes.wrap(FAMILY)), ConflictLevel.ROW, splits);
    return true;
  }

  /**
   * Opens all accounts in one transaction, unless they exist from an earlier run. Removes accounts
   * only if their number differs, and only if the table has no other content.
   *
   * @return the previous state
   * @throws CommandException if the table contains anything but accounts
   */
  State openAccounts() throws IOException {
    return database.run(
        TransactionOptions.DEFAULT.withIsolation(Isolation.SNAPSHOT),
        tx -> {
          requireAccountsOnly(tx);
          State before = state(tx);
          if (before.accounts() != accounts) {
            open(tx);
          }
          return before;
        });
  }

  /** Opens all accounts again, whatever they hold. */
  void openAnew() throws IOException {
    database.run(
        TransactionOptions.DEFAULT.withIsolation(Isolation.SNAPSHOT),
        tx -> {
          open(tx);
          return accounts;
        });
  }

  private void requireAccountsOnly(Transaction tx) throws IOException {
    try (ResultScanner rows = tx.table(name).getScanner(new Scan())) {
      for (Result row : rows) {
        if (!isAccount(row)) {
          throw new CommandException(
              "this is not a table of the bank, nothing was changed: it holds something else than"
                  + " accounts, table="
                  + name
                  + " row="
                  + Bytes.of(row.getRow()),
              "the bank overwrites its table: name another table, or one that is not there yet");
        }
      }
    }
  }

  private static boolean isAccount(Result row) {
    byte[] balance = row.getValue(FAMILY, BALANCE);
    return row.size() == 1
        && balance != null
        && ACCOUNT.matcher(Bytes.of(row.getRow()).toUtf8()).matches()
        && NUMBER.matcher(Bytes.of(balance).toUtf8()).matches();
  }

  private void open(Transaction tx) throws IOException {
    Table table = tx.table(name);
    List<Delete> old = new ArrayList<>();
    try (ResultScanner rows = table.getScanner(new Scan())) {
      rows.forEach(row -> old.add(new Delete(row.getRow())));
    }
    if (!old.isEmpty()) {
      table.delete(old);
    }
    List<Put> puts = new ArrayList<>();
    for (int account = 0; account < accounts; account++) {
      puts.add(balancePut(account, OPENING_BALANCE));
    }
    table.put(puts);
  }

  /**
   * Moves money if the balance suffices.
   *
   * @return true if money was moved
   */
  boolean transfer(Transaction tx, int from, int to, long amount) throws IOException {
    Table table = tx.table(name);
    Result[] balances = table.get(List.of(balanceGet(from), balanceGet(to)));
    long source = balance(balances[0], from);
    if (source < amount) {
      return false;
    }
    table.put(balancePut(from, source - amount));
    table.put(balancePut(to, balance(balances[1], to) + amount));
    return true;
  }

  /** Reads one account. */
  long balance(Transaction tx, int account) throws IOException {
    return balance(tx.table(name).get(balanceGet(account)), account);
  }

  /** Returns the account with the highest balance, which is at least the opening balance. */
  int richestAccount() throws IOException {
    try (Transaction tx = database.begin(TransactionOptions.DEFAULT.asReadOnly());
        ResultScanner rows = tx.table(name).getScanner(new Scan().addColumn(FAMILY, BALANCE))) {
      int richest = 0;
      long highest = 0;
      int account = 0;
      for (Result row : rows) {
        if (number(row) > highest) {
          highest = number(row);
          richest = account;
        }
        account++;
      }
      return richest;
    }
  }

  /** Adds up all accounts. */
  State state(Transaction tx) throws IOException {
    int count = 0;
    long sum = 0;
    try (ResultScanner rows = tx.table(name).getScanner(new Scan().addColumn(FAMILY, BALANCE))) {
      for (Result row : rows) {
        sum += number(row);
        count++;
      }
    }
    return new State(count, sum);
  }

  /** Returns the row key of an account. */
  static String accountName(int account) {
    return String.format(Locale.ROOT, "account-%05d", account);
  }

  private static byte[] row(int account) {
    return Bytes.utf8(accountName(account)).toArray();
  }

  private static Get balanceGet(int account) {
    return new Get(row(account)).addColumn(FAMILY, BALANCE);
  }

  private static Put balancePut(int account, long balance) {
    return new Put(row(account))
        .addColumn(FAMILY, BALANCE, Bytes.utf8(Long.toString(balance)).toArray());
  }

  private static long balance(Result row, int account) throws IOException {
    if (row.isEmpty()) {
      throw new IOException("the account is gone, account=" + accountName(account));
    }
    return number(row);
  }

  private static long number(Result row) {
    return Long.parseLong(Bytes.wrap(row.getValue(FAMILY, BALANCE)).toUtf8());
  }
}
