package io.lampone.benchmarks.omid;

import io.lampone.benchmarks.LoadConversation;
import io.lampone.benchmarks.Transactions;

/** Puts load on Omid's timestamp oracle. Argument: its port. */
public final class OmidLoadProcess {

  private OmidLoadProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    try (Transactions transactions = OmidTransactions.connect(Integer.parseInt(arguments[0]))) {
      LoadConversation.hold(transactions);
    }
    Runtime.getRuntime().halt(0);
  }
}
