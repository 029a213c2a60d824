package io.lampone.faultlab.work;

import io.lampone.client.TransactionOptions;
import io.lampone.faultlab.work.check.BankCheck;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;

/**
 * Transfers between accounts. No money is made or lost in any snapshot of all accounts: {@link
 * BankCheck}. An account never written holds {@link #OPENING_BALANCE}.
 */
public final class BankWorkload implements LabWorkload {

  static final int ACCOUNTS = 12;
  public static final long OPENING_BALANCE = 1_000;

  /** Number of transactions of which the following ones read all accounts: by gets, by a scan. */
  private static final int OF = 20;

  private static final int BY_GETS = 4;
  private static final int BY_SCAN = 7;

  private static final int MOST_PARTNERS = 3;
  private static final int LARGEST_AMOUNT = 50;

  /** So many transfers are one that scans all accounts before it writes. */
  private static final int TRANSFER_SCANS_IN = 10;

  static List<Long> accounts() {
    return LongStream.range(0, ACCOUNTS)
        .mapToObj(i -> HistoryCells.lone(i / 2, (int) (i % 2)))
        .toList();
  }

  /** Returns the balance of an account with this content. */
  public static long balance(List<Long> read) {
    return read.isEmpty() ? OPENING_BALANCE : Stamps.content(read.get(0));
  }

  @Override
  public void step(LabClientSession session) {
    int dice = session.random().nextInt(OF);
    if (dice < BY_GETS) {
      session.transaction(
          OptionChoice.anyOfGets(session.random()), steps -> steps.readAll(accounts()));
    } else if (dice < BY_SCAN) {
      session.transaction(OptionChoice.READ_ONLY, steps -> steps.scanAll(accounts()));
    } else {
      TransactionOptions options = OptionChoice.any(session.random());
      session.transaction(options, steps -> transfer(session, steps));
    }
  }

  /** From one account to one or two others. */
  static void transfer(LabClientSession session, Steps steps) throws IOException {
    RandomGenerator random = session.random();
    TreeSet<Long> chosen = new TreeSet<>();
    int partners = 2 + random.nextInt(MOST_PARTNERS - 1);
    while (chosen.size() < partners) {
      chosen.add(accounts().get(random.nextInt(ACCOUNTS)));
    }
    List<Long> keys = new ArrayList<>(chosen);
    Map<Long, List<Long>> read =
        random.nextInt(TRANSFER_SCANS_IN) == 0 ? steps.scanAll(accounts()) : steps.readAll(keys);
    long payer = keys.get(random.nextInt(keys.size()));
    long left = balance(read.getOrDefault(payer, List.of()));
    for (long key : keys) {
      if (key != payer) {
        long amount = Math.min(left, random.nextInt(LARGEST_AMOUNT));
        left -= amount;
        long before = balance(read.getOrDefault(key, List.of()));
        steps.write(key, session.stamps().value(before + amount));
      }
    }
    steps.write(payer, session.stamps().value(left));
  }
}
