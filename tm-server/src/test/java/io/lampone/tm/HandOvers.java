package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.lampone.tm.core.transfer.TransferFailedException;
import io.lampone.tm.core.transfer.TransferResult;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

/** Hand-overs on a busy machine, where a backup may not answer within two seconds. */
final class HandOvers {

  private static final int ATTEMPTS = 10;

  /** Reasons of a hand-over that failed because the backup had too little of the processor. */
  private static final Pattern SLOWNESS =
      Pattern.compile("does not answer|too slow|takes too long");

  private HandOvers() {}

  /** Hands over to the backup at this address, or to the first that takes it. */
  static TransferResult handOver(TransactionManagerServer from, Optional<String> successor)
      throws Exception {
    for (int attemptsLeft = ATTEMPTS; ; attemptsLeft--) {
      try {
        return from.handOver(successor).get(60, SECONDS);
      } catch (ExecutionException e) {
        if (attemptsLeft == 0 || !isTooSlow(e.getCause())) {
          throw e;
        }
      }
    }
  }

  private static boolean isTooSlow(Throwable failure) {
    return failure instanceof TransferFailedException
        && SLOWNESS.matcher(String.valueOf(failure.getMessage())).find();
  }
}
