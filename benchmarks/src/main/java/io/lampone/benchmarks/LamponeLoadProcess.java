package io.lampone.benchmarks;

import io.lampone.protocol.ConflictLevel;

/** Puts load on Lampone's transaction manager. Arguments: its port, the conflict level. */
public final class LamponeLoadProcess {

  private LamponeLoadProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    ConflictLevel level = ConflictLevel.valueOf(arguments[1]);
    try (Transactions transactions =
        LamponeTransactions.connect(Integer.parseInt(arguments[0]), level)) {
      LoadConversation.hold(transactions);
    }
    System.exit(0);
  }
}
