package io.lampone.faultlab.work;

import io.lampone.client.TransactionOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Payments, and audits by a scan of all accounts. An account holds its balance in a register, which
 * is part of the history, and in two columns of the second family, which are deleted at a balance
 * of zero, each by itself or with the family; the history cannot express these. An audit verifies
 * that all agree. Some payments are made and undone before another one.
 */
final class EconomyWorkload implements LabWorkload {

  /** One in each row of the first group. */
  static final int ACCOUNTS = HistoryCells.GROUP / 2;

  private static final byte[] OPEN = "open".getBytes(StandardCharsets.UTF_8);
  private static final byte[] TWICE = "twice".getBytes(StandardCharsets.UTF_8);
  private static final int AUDITS_IN = 3;
  private static final int UNDONE_IN = 4;

  private static List<Long> accounts() {
    return LongStream.range(0, ACCOUNTS).map(i -> 2 * i).boxed().toList();
  }

  @Override
  public void step(LabClientSession session) {
    if (session.random().nextInt(AUDITS_IN) == 0) {
      session.transaction(OptionChoice.READ_ONLY, steps -> audit(session, steps));
    } else {
      TransactionOptions options = OptionChoice.any(session.random());
      session.transaction(options, steps -> pay(session, steps));
    }
  }

  /** Pays a part of the balance, or all of it: then the payer's account closes. */
  private static void pay(LabClientSession session, Steps steps) throws IOException {
    RandomGenerator random = session.random();
    List<Long> all = accounts();
    long payer = all.get(random.nextInt(ACCOUNTS));
    long payee = all.get((int) ((payer / 2 + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS));
    if (random.nextInt(UNDONE_IN) == 0) {
      steps.undone(() -> set(session, steps, payer, random.nextInt(2)));
    }
    Map<Long, List<Long>> read = steps.readAll(List.of(payer, payee));
    long has = BankWorkload.balance(read.getOrDefault(payer, List.of()));
    long amount = random.nextBoolean() ? has : has / 3;
    set(session, steps, payer, has - amount);
    set(session, steps, payee, BankWorkload.balance(read.getOrDefault(payee, List.of())) + amount);
  }

  private static void set(LabClientSession session, Steps steps, long key, long balance)
      throws IOException {
    steps.write(key, session.stamps().value(balance));
    byte[] row = HistoryCells.row(key);
    if (balance > 0) {
      byte[] value = Bytes.toBytes(balance);
      Put both = new Put(row).addColumn(HistoryCells.second(), OPEN, value);
      steps.table(key).put(both.addColumn(HistoryCells.second(), TWICE, value));
    } else if (session.random().nextBoolean()) {
      steps.table(key).delete(new Delete(row).addFamily(HistoryCells.second()));
    } else {
      Delete both = new Delete(row).addColumns(HistoryCells.second(), OPEN);
      steps.table(key).delete(both.addColumns(HistoryCells.second(), TWICE));
    }
  }

  private static void audit(LabClientSession session, Steps steps) throws IOException {
    Scan scan = new Scan();
    Map<Long, Result> rows = new HashMap<>();
    for (Result result : steps.rows(0, scan)) {
      rows.put(HistoryCells.key(0, result.getRow(), HistoryCells.qualifier(0)), result);
    }
    for (long key : accounts()) {
      Result result = rows.getOrDefault(key, Result.EMPTY_RESULT);
      steps.saw(key, register(key, result));
      difference(key, result).ifPresent(session::violation);
    }
  }

  private static List<Long> register(long key, Result row) {
    return row.isEmpty() ? List.of() : HistoryCells.elements(Steps.value(row, key));
  }

  /** Returns the inconsistency of a row, the same for every reader. */
  static Optional<String> difference(long key, Result row) {
    List<Long> register = register(key, row);
    long balance = BankWorkload.balance(register);
    Optional<Long> expected =
        register.isEmpty() || balance == 0 ? Optional.empty() : Optional.of(balance);
    Optional<Long> open = column(row, OPEN);
    Optional<Long> twice = column(row, TWICE);
    return open.equals(expected) && twice.equals(expected)
        ? Optional.empty()
        : Optional.of(
            "economy: the columns of an account differ, key="
                + key
                + " register="
                + balance
                + " open="
                + open
                + " twice="
                + twice);
  }

  private static Optional<Long> column(Result row, byte[] column) {
    return row.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(row.getValue(HistoryCells.second(), column)).map(Bytes::toLong);
  }
}
