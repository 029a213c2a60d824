package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.lampone.tm.core.transfer.TransferFailedException;
import io.lampone.tm.core.transfer.TransferResult;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/** Hand-overs on a busy machine, where a backup may not answer within two seconds. */
final class HandOvers {

  private static final int ATTEMPTS = 10;

  private HandOvers() {}

  /** Hands over to the backup at this address, or to the first that takes it. */
  static TransferResult handOver(TransactionManagerServer from, Optional<String> successor)
      throws Exception {
    for (int attemptsLeft = ATTEMPTS; ; attemptsLeft--) {
      try {
        return from.handOver(successor).get(60, SECONDS);
      } catch (ExecutionException e) {
        if (attemptsLeft == 0 || !(e.getCause() instanceof TransferFailedException)) {
          throw e;
        }
      }
    }
  }
}
