package io.lampone.benchmarks;

/** Puts load on Lampone's transaction manager. Argument: its port. */
public final class LamponeLoadProcess {

  private LamponeLoadProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    try (Transactions transactions = LamponeTransactions.connect(Integer.parseInt(arguments[0]))) {
      LoadConversation.hold(transactions);
    }
    System.exit(0);
  }
}
