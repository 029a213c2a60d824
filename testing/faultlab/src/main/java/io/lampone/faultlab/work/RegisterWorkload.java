package io.lampone.faultlab.work;

import io.lampone.client.TransactionOptions;
import java.io.IOException;
import java.util.random.RandomGenerator;

/** Regular transactions that read registers and write them, often without having read. */
final class RegisterWorkload implements LabWorkload {

  private static final int LONGEST_TRANSACTION = 4;
  private static final int REGISTERS = 16;
  private static final int UNDONE_IN = 8;
  private static final int SCANS_IN = 10;

  @Override
  public void step(LabClientSession session) {
    TransactionOptions options = OptionChoice.any(session.random());
    session.transaction(options, steps -> run(session, steps));
  }

  private static void run(LabClientSession session, Steps steps) throws IOException {
    RandomGenerator random = session.random();
    for (int left = 1 + random.nextInt(LONGEST_TRANSACTION); left > 0; left--) {
      int chosen = Math.min(random.nextInt(REGISTERS), random.nextInt(REGISTERS));
      long key = HistoryCells.lone(chosen / 2, chosen % 2);
      if (random.nextInt(UNDONE_IN) == 0) {
        steps.undone(() -> steps.write(key, session.stamps().value(0)));
      } else if (random.nextInt(SCANS_IN) == 0) {
        steps.scanGroup(chosen / 2);
      } else if (random.nextBoolean()) {
        steps.write(key, session.stamps().value(0));
      } else {
        steps.read(key);
      }
    }
  }
}
