package io.lampone.faultlab.work;

import io.lampone.checker.History;
import io.lampone.faultlab.work.check.BankCheck;
import io.lampone.faultlab.work.check.Check;
import io.lampone.faultlab.work.check.LatestCheck;
import io.lampone.faultlab.work.check.ListCheck;
import io.lampone.faultlab.work.check.OneOrderCheck;
import io.lampone.faultlab.work.large.GroupJudge;
import io.lampone.faultlab.work.large.RowContent;
import io.lampone.faultlab.work.sql.SqlBank;
import io.lampone.faultlab.work.sql.SqlBankWorkload;
import io.lampone.protocol.ConflictLevel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;

/** Work of the clients, by kind. */
public enum WorkloadKind {
  /** Transfers; the sum of all accounts stays. */
  BANK("bank", false),
  /** Regular transactions on lists. */
  LIST_APPEND("list-append", true),
  /** Regular transactions on registers, blind writes among them. */
  REGISTER("register", false),
  /** Fast path, commits in one region and regular transactions on the same lists. */
  MIX("mix", true),
  /** Readers see writes in one order. */
  LONG_FORK("long-fork", false),
  /** Allowed under snapshot isolation: counted, and no anomaly. */
  WRITE_SKEW("write-skew", false),
  /** Money that changes hands between accounts that open and close, and audits by scan. */
  ECONOMY("economy", false),
  /** Elements that are added, and scans that must not lose any. */
  SET("set", false),
  /** Increments of the fast path and by transactions; no reader sees a counter decrease. */
  COUNTER("counter", true),
  /** The mix on the same rows of two tables. */
  TWO_TABLES("two-tables", true),
  /**
   * Transactions of up to thousands of rows in tables of both levels, read by scans of all kinds.
   */
  LARGE("large", false),
  /** A bank in SQL with an index; only if named, because Apache Phoenix is needed. */
  SQL("sql", false),
  /** A bank without transactions: the lab must detect that. */
  PLAIN_BANK("plain-bank", false);

  /** The kinds of {@code all}: those that are expected to be clean, and need nothing else. */
  public static final List<WorkloadKind> HONEST =
      Arrays.stream(values()).filter(kind -> kind != PLAIN_BANK && kind != SQL).toList();

  /** Settings of clients and servers: workloads write cells as large as these allow. */
  public static final Map<String, String> CELL_LIMITS =
      Map.of(
          "hbase.client.keyvalue.maxsize", Integer.toString(LargeWorkload.LARGEST_CELL),
          "hbase.server.keyvalue.maxsize", Integer.toString(LargeWorkload.LARGEST_CELL));

  /** Begins the names of all tables. */
  private static final String PREFIX = "torture-";

  /** Multiplier of Fibonacci hashing. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final String label;
  private final boolean lists;

  WorkloadKind(String label, boolean lists) {
    this.label = label;
    this.lists = lists;
  }

  /** As a person writes it. */
  public String label() {
    return label;
  }

  /**
   * Returns its tables; {@link HistoryCells} maps keys to them.
   *
   * @param round each round has different tables
   */
  public List<TableName> tables(long round) {
    String first = PREFIX + label + "-" + round;
    return switch (this) {
      case TWO_TABLES -> List.of(TableName.valueOf(first), TableName.valueOf(first + "-too"));
      case LARGE, SQL ->
          List.of(
              TableName.valueOf(first),
              TableName.valueOf(first + "-too"),
              TableName.valueOf(first + "-three"));
      default -> List.of(TableName.valueOf(first));
    };
  }

  /** Returns the workload with the tables in the header of a history. */
  public static Optional<WorkloadKind> ofTables(String names) {
    String first = names.split(",", -1)[0];
    String name = first.substring(first.indexOf(':') + 1);
    return Arrays.stream(values())
        .filter(kind -> name.matches(PREFIX + kind.label + "-[0-9]+"))
        .findFirst();
  }

  /**
   * Returns the conflict levels of its tables, which their names decide; two in a row differ. None
   * if the lab does not choose them.
   */
  public List<ConflictLevel> levels(List<TableName> tables) {
    if (this == SQL || this == PLAIN_BANK) {
      return List.of();
    }
    long mixed = tables.get(0).getNameAsString().hashCode() * SPREAD;
    int first = (int) (mixed >>> (Long.SIZE - 1));
    return IntStream.range(first, first + tables.size())
        .mapToObj(i -> i % 2 == 0 ? ConflictLevel.ROW : ConflictLevel.CELL)
        .toList();
  }

  /** Returns the lifetime of the values of families of its tables, by family; in seconds. */
  public Map<String, Integer> lifetimes(boolean allSerializable) {
    return this == LARGE
        ? Map.of(
            RowContent.EXPIRING,
            expires(allSerializable) ? GroupJudge.LIFETIME_SECONDS : HConstants.FOREVER)
        : Map.of();
  }

  /**
   * Returns true if values of its tables expire: not if all transactions are serializable, which
   * cannot read such tables.
   */
  public boolean expires(boolean allSerializable) {
    return this == LARGE && !allSerializable;
  }

  /** The workload of its histories' header. */
  public String historyWorkload() {
    return lists ? History.Header.LIST_APPEND : History.Header.REGISTER;
  }

  /** Returns the workload's own checks. */
  public List<Check> checks() {
    return switch (this) {
      case BANK, PLAIN_BANK -> List.of(new BankCheck(BankWorkload.ACCOUNTS));
      case ECONOMY -> List.of(new BankCheck(EconomyWorkload.ACCOUNTS));
      case SQL -> List.of(new BankCheck(SqlBank.ACCOUNTS));
      case LIST_APPEND, COUNTER -> List.of(new ListCheck());
      case MIX, TWO_TABLES -> List.of(new ListCheck(), new LatestCheck());
      case LONG_FORK, SET -> List.of(new OneOrderCheck());
      case REGISTER, WRITE_SKEW, LARGE -> List.of();
    };
  }

  /**
   * Returns the inconsistencies of its tables that no history can express.
   *
   * @param snapshot at which they were read
   * @param tables all rows of each table
   */
  public List<String> wrong(long snapshot, List<List<Result>> tables) {
    if (this == LARGE) {
      List<String> found = new ArrayList<>();
      new GroupJudge(snapshot, LargeWorkload.LARGEST_CELL, found::add).judgeAll(tables);
      return found;
    }
    return tables.stream()
        .flatMap(List::stream)
        .map(this::wrongRow)
        .flatMap(Optional::stream)
        .toList();
  }

  private Optional<String> wrongRow(Result row) {
    long key = HistoryCells.key(0, row.getRow(), HistoryCells.qualifier(0));
    return switch (this) {
      case ECONOMY -> EconomyWorkload.difference(key, row);
      case COUNTER -> CounterWorkload.difference(key, row);
      default -> Optional.empty();
    };
  }

  /** Returns observations that are allowed but notable. */
  public List<String> notes(History history) {
    return this == WRITE_SKEW ? List.of(WriteSkewWorkload.note(history)) : List.of();
  }

  /** Returns true if its tables are transactional. */
  public boolean isTransactional() {
    return this != PLAIN_BANK;
  }

  /** The one of this label. */
  public static Optional<WorkloadKind> of(String label) {
    return Arrays.stream(values()).filter(kind -> kind.label.equals(label)).findFirst();
  }

  /**
   * Creates the state that all threads of one client share.
   *
   * @param site hbase-site.xml of the cluster
   */
  public LabWorkload create(Path site) {
    return switch (this) {
      case BANK -> new BankWorkload();
      case LIST_APPEND -> new ListAppendWorkload();
      case REGISTER -> new RegisterWorkload();
      case MIX -> new MixWorkload(new ListKeys(1));
      case TWO_TABLES -> new MixWorkload(new ListKeys(2));
      case LONG_FORK -> new LongForkWorkload(false);
      case SET -> new LongForkWorkload(true);
      case WRITE_SKEW -> new WriteSkewWorkload();
      case ECONOMY -> new EconomyWorkload();
      case COUNTER -> new CounterWorkload();
      case LARGE -> new LargeWorkload();
      case SQL -> new SqlBankWorkload(site);
      case PLAIN_BANK -> new PlainBankWorkload(site);
    };
  }
}
