package io.lampone.faultlab.work;

import io.lampone.client.TransactionOptions;
import java.io.IOException;
import java.util.random.RandomGenerator;

/** Regular transactions that read lists and append to them. */
final class ListAppendWorkload implements LabWorkload {

  private static final int LONGEST_TRANSACTION = 5;
  private static final int UNDONE_IN = 8;
  private static final int SCANS_IN = 10;

  private final ListKeys keys = new ListKeys(1);

  @Override
  public void step(LabClientSession session) {
    TransactionOptions options = OptionChoice.any(session.random());
    session.transaction(options, steps -> run(session, steps));
  }

  private void run(LabClientSession session, Steps steps) throws IOException {
    RandomGenerator random = session.random();
    for (int left = 1 + random.nextInt(LONGEST_TRANSACTION); left > 0; left--) {
      long key = keys.any(random);
      if (random.nextInt(UNDONE_IN) == 0) {
        steps.undone(() -> steps.append(key, session.stamps().value(0)));
      }
      if (random.nextInt(SCANS_IN) == 0) {
        steps.scanGroup(key / HistoryCells.GROUP).forEach((k, seen) -> keys.saw(k, seen.size()));
      } else if (random.nextBoolean()) {
        steps.append(key, session.stamps().value(0));
      } else {
        keys.saw(key, steps.read(key).size());
      }
    }
  }
}
