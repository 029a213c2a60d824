package io.lampone.faultlab.work.check;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.faultlab.work.BankWorkload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Check that every read of all accounts returns the opening sum of the bank. */
public final class BankCheck implements Check {

  private final int accounts;

  /**
   * @param accounts so many have opened with {@link BankWorkload#OPENING_BALANCE} each
   */
  public BankCheck(int accounts) {
    this.accounts = accounts;
  }

  @Override
  public List<String> violations(History history) {
    long total = accounts * BankWorkload.OPENING_BALANCE;
    List<String> found = new ArrayList<>();
    for (HistoryTransaction transaction : history.transactions()) {
      if (transaction.outcome() != Outcome.OK) {
        continue;
      }
      Map<String, Long> seen = new HashMap<>();
      for (Operation operation : transaction.operations()) {
        if (operation instanceof Operation.Read read) {
          seen.put(read.key(), BankWorkload.balance(read.elements()));
        }
      }
      long sum = seen.values().stream().mapToLong(Long::longValue).sum();
      if (seen.size() == accounts && sum != total) {
        found.add("bank: sum=" + sum + " expected=" + total + " " + transaction.describe());
      }
    }
    return found;
  }
}
