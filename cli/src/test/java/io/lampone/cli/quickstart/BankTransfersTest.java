package io.lampone.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cli.CommandException;
import io.lampone.cli.FakeDatabase;
import io.lampone.cli.Progress;
import io.lampone.cli.shell.Database;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeException;
import io.lampone.client.Savepoint;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionClient.TransactionFunction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class BankTransfersTest {

  private static final TableName TABLE = TableName.valueOf("bank");

  private final FakeDatabase database = new FakeDatabase();

  @Test
  void moneyMovesAndTheSumStays() throws Exception {
    Bank bank = opened(database, 10);
    BankTransfers workload = new BankTransfers(database, bank, SystemClock.INSTANCE, 4, 1);
    workload.start();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> workload.transfers() >= 200 && workload.audits() >= 5 && workload.aborts() > 0);
    BankReport report = workload.stop();
    assertThat(report.failures()).isEmpty();
    assertThat(report.isWell()).isTrue();
    assertThat(report.transfers()).isGreaterThanOrEqualTo(200);
    assertThat(report.aborts()).isPositive();
    assertThat(report.transferLatency().count()).isEqualTo(report.transfers());
    assertThat(report.auditLatency().count()).isEqualTo(report.audits());
  }

  @Test
  void accountsHaveTheSameNamesInEveryLanguage() {
    Locale own = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    try {
      assertThat(Bank.accountName(7)).isEqualTo("account-00007");
    } finally {
      Locale.setDefault(own);
    }
  }

  @Test
  void moneyThatIsLostIsFound() throws Exception {
    Bank bank = opened(database, 10);
    write(3, 900);
    BankReport report = work(database, bank, 2);
    assertThat(report.isSumConstant()).isFalse();
    assertThat(report.isWell()).isFalse();
    assertThat(report.wrongAudits().get(0)).contains("saw=State[accounts=10, sum=9900]");
  }

  /** A user's write, of the shell for instance, is not what the next start judges. */
  @Test
  void theQuickStartOpensAccountsOfAnotherSumAnew() throws IOException {
    Bank bank = opened(database, 10);
    StringWriter printed = new StringWriter();
    Quickstart quickstart =
        new Quickstart(
            new QuickstartOptions(
                Path.of("data"),
                Duration.ofSeconds(1),
                1,
                10,
                Isolation.SNAPSHOT,
                0,
                0,
                false,
                false,
                true),
            new Progress(new PrintWriter(printed), () -> 0),
            SystemClock.INSTANCE);
    assertThat(quickstart.openBank(bank)).isTrue();
    write(0, 5);
    assertThat(quickstart.openBank(bank)).isFalse();
    assertThat(printed.toString()).contains("hold 9005 in all", "10 accounts opened with 1000");
    assertThat(quickstart.openBank(bank)).isTrue();
    try (Transaction tx = database.begin(TransactionOptions.DEFAULT)) {
      assertThat(bank.state(tx)).isEqualTo(bank.expected());
    }
  }

  /** The client that is killed has to have the amount, on any data folder. */
  @Test
  void theRichestAccountIsFound() throws IOException {
    Bank bank = opened(database, 10);
    assertThat(bank.richestAccount()).isZero();
    database.run(TransactionOptions.DEFAULT, tx -> bank.transfer(tx, 0, 7, 960));
    assertThat(bank.richestAccount()).isEqualTo(7);
    database.run(TransactionOptions.DEFAULT, tx -> bank.transfer(tx, 7, 9, 1000));
    assertThat(bank.richestAccount()).isEqualTo(9);
  }

  @Test
  void halfTransfersAreFound() throws Exception {
    Bank bank = opened(database, 10);
    BankReport report = work(new HalfTransfers(database), bank, 2);
    assertThat(report.isSumConstant()).isFalse();
  }

  @Test
  void accountsAreOpenedOnceAndAgainWhenTheirNumberChanges() throws IOException {
    Bank bank = new Bank(database, TABLE, 5);
    assertThat(bank.createTable()).isTrue();
    assertThat(bank.openAccounts()).isEqualTo(new Bank.State(0, 0));
    assertThat(bank.createTable()).isFalse();
    database.run(TransactionOptions.DEFAULT, tx -> bank.transfer(tx, 0, 4, 7));
    assertThat(bank.openAccounts()).isEqualTo(bank.expected());
    try (Transaction tx = database.begin(TransactionOptions.DEFAULT)) {
      assertThat(bank.balance(tx, 4)).isEqualTo(1007);
    }
    Bank smaller = new Bank(database, TABLE, 3);
    smaller.openAccounts();
    try (Transaction tx = database.begin(TransactionOptions.DEFAULT)) {
      assertThat(smaller.state(tx)).isEqualTo(smaller.expected());
    }
  }

  /** An existing table named by mistake loses no data. */
  @Test
  void aTableWithAnotherRowThanAccountsStaysWhole() throws IOException {
    Bank bank = opened(database, 5);
    for (String[] foreign :
        new String[][] {
          {"anna", "balance", "1000"},
          {"account-00003", "owner", "1000"},
          {"account-3", "balance", "1000"},
          {"account-00007", "balance", "much"}
        }) {
      byte[] row = Bytes.utf8(foreign[0]).toArray();
      byte[] family = Bytes.utf8("a").toArray();
      byte[] qualifier = Bytes.utf8(foreign[1]).toArray();
      put(new Put(row).addColumn(family, qualifier, Bytes.utf8(foreign[2]).toArray()));
      for (int accounts : new int[] {3, 5, 6}) {
        assertThatThrownBy(() -> new Bank(database, TABLE, accounts).openAccounts())
            .as(foreign[0] + " " + accounts)
            .isInstanceOfSatisfying(
                CommandException.class, e -> assertThat(e.advice()).contains("another table"))
            .hasMessageContaining("not a table of the bank")
            .hasMessageContaining("table=bank row=" + foreign[0]);
      }
      try (Transaction tx = database.begin(TransactionOptions.DEFAULT)) {
        assertThat(tx.table(TABLE).get(new Get(row)).getValue(family, qualifier)).isNotNull();
        assertThat(bank.balance(tx, 0)).isEqualTo(Bank.OPENING_BALANCE);
      }
      database.run(
          TransactionOptions.DEFAULT,
          tx -> {
            tx.table(TABLE).delete(new Delete(row).addColumns(family, qualifier));
            return null;
          });
    }
  }

  private void put(Put put) throws IOException {
    try (Transaction tx = database.begin(TransactionOptions.DEFAULT)) {
      tx.table(TABLE).put(put);
      tx.commit();
    }
  }

  @Test
  void nobodySpendsWhatIsNotThere() throws IOException {
    Bank bank = opened(database, 2);
    boolean moved = database.run(TransactionOptions.DEFAULT, tx -> bank.transfer(tx, 0, 1, 1001));
    assertThat(moved).isFalse();
  }

  @Test
  void theProbeCountsWhatDoesNotAnswer() throws Exception {
    Bank bank = opened(database, 3);
    try (BankProbe probe =
        new BankProbe(database, bank, SystemClock.INSTANCE, Duration.ofSeconds(5))) {
      assertThat(probe.unreadableAccounts()).isZero();
      assertThat(probe.state()).isEqualTo(bank.expected());
      assertThat(probe.readNanos(1)).isLessThan(5_000_000_000L);
      assertThat(probe.transferNanos(0, 1, 1)).isLessThan(5_000_000_000L);
    }
    try (BankProbe probe =
        new BankProbe(new Stuck(database), bank, SystemClock.INSTANCE, Duration.ofMillis(20))) {
      assertThat(probe.unreadableAccounts()).isEqualTo(3);
      assertThat(probe.readNanos(1)).isEqualTo(20_000_000L);
    }
  }

  @Test
  void whereTheClusterDoesNotAnswerItGoesOnIfItShall() throws Exception {
    Bank bank = opened(database, 10);
    BankTransfers workload =
        new BankTransfers(
            new Outages(database, 20),
            bank,
            SystemClock.INSTANCE,
            2,
            1,
            BankTransfers.OutagePolicy.GO_ON);
    BankReport report = work(workload);
    assertThat(report.outages()).isEqualTo(20);
    assertThat(report.failures()).isEmpty();
    assertThat(report.isWell()).isTrue();
    assertThat(report.longestPauseMillis()).isPositive();
  }

  @Test
  void whereTheClusterDoesNotAnswerItFailsOtherwise() throws Exception {
    Bank bank = opened(database, 10);
    BankTransfers workload =
        new BankTransfers(new Outages(database, 1), bank, SystemClock.INSTANCE, 2, 1);
    BankReport report = work(workload);
    assertThat(report.failures()).hasSize(1).first().asString().contains("LP-302");
    assertThat(report.isWell()).isFalse();
  }

  @Test
  void sizesHaveLimits() {
    assertThatThrownBy(() -> new Bank(database, TABLE, 1)).hasMessageContaining("2..10000");
    Bank bank = new Bank(database, TABLE, 2);
    assertThatThrownBy(() -> new BankTransfers(database, bank, SystemClock.INSTANCE, 0, 1))
        .hasMessageContaining("1..256");
  }

  private void write(int account, long balance) throws IOException {
    Put put =
        new Put(Bytes.utf8(Bank.accountName(account)).toArray())
            .addColumn(
                Bytes.utf8("a").toArray(),
                Bytes.utf8("balance").toArray(),
                Bytes.utf8(Long.toString(balance)).toArray());
    try (Transaction tx = database.begin(TransactionOptions.DEFAULT)) {
      tx.table(TABLE).put(put);
      tx.commit();
    }
  }

  private static Bank opened(Database database, int accounts) throws IOException {
    Bank bank = new Bank(database, TABLE, accounts);
    bank.createTable();
    bank.openAccounts();
    return bank;
  }

  private static BankReport work(Database database, Bank bank, int threads) throws Exception {
    return work(new BankTransfers(database, bank, SystemClock.INSTANCE, threads, 1));
  }

  private static BankReport work(BankTransfers workload) throws Exception {
    workload.start();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> workload.transfers() >= 200 && workload.audits() >= 5);
    return workload.stop();
  }

  /** Database that the first transfers do not reach. */
  private static final class Outages extends Spoiled {
    private final AtomicInteger left;

    Outages(Database intact, int count) {
      super(intact);
      this.left = new AtomicInteger(count);
    }

    @Override
    public <T> T run(TransactionOptions options, TransactionFunction<T, RuntimeException> work)
        throws IOException {
      int number = left.getAndUpdate(count -> Math.max(0, count - 1));
      if (number > 0) {
        LamponeException outage =
            new LamponeException(
                LamponeException.Code.STORE_UNAVAILABLE, 0, "HBase did not answer");
        if (number % 2 == 0) {
          throw new UncheckedIOException(outage);
        }
        throw outage;
      }
      return super.run(options, work);
    }
  }

  /** Delegates all calls; subclasses inject failures. */
  private static class Spoiled implements Database {
    final Database intact;

    Spoiled(Database intact) {
      this.intact = intact;
    }

    @Override
    public <T> T run(TransactionOptions options, TransactionFunction<T, RuntimeException> work)
        throws IOException {
      return intact.run(options, work);
    }

    @Override
    public Transaction begin(TransactionOptions options) throws IOException {
      return intact.begin(options);
    }

    @Override
    public Transaction asOf(long timestamp, TransactionOptions options) throws IOException {
      return intact.asOf(timestamp, options);
    }

    @Override
    public TransactionOutcome status(TransactionId id) throws IOException {
      return intact.status(id);
    }

    @Override
    public TransactionOutcome outcome(FastPathId id) throws IOException {
      return intact.outcome(id);
    }

    @Override
    public void deleteTable(TableName name) throws IOException {
      intact.deleteTable(name);
    }

    @Override
    public LamponeAdmin admin() {
      return intact.admin();
    }

    @Override
    public void close() throws IOException {
      intact.close();
    }
  }

  /** Commits the first half of every transfer only. */
  private static final class HalfTransfers extends Spoiled {
    HalfTransfers(Database intact) {
      super(intact);
    }

    @Override
    public <T> T run(TransactionOptions options, TransactionFunction<T, RuntimeException> work)
        throws IOException {
      return intact.run(
          options,
          tx -> {
            T result = work.apply(tx);
            if (Boolean.TRUE.equals(result)) {
              tx.rollbackTo(new Savepoint(tx.startTimestamp(), 2));
            }
            return result;
          });
    }
  }

  /** Database that never replies. */
  private static final class Stuck extends Spoiled {
    Stuck(Database intact) {
      super(intact);
    }

    @Override
    public Transaction begin(TransactionOptions options) throws IOException {
      try {
        Thread.sleep(60_000);
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      return super.begin(options);
    }
  }
}
