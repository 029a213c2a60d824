package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.tm.Validator.Vote;
import io.lampone.tmclient.TransactionManagerClient;
import java.util.concurrent.ExecutionException;

/** Votes on a busy machine, where a validator may not answer in time. */
final class Votes {

  private static final int ATTEMPTS = 100;

  private Votes() {}

  /** Asks until the validator answers: votes are idempotent. */
  static Validation vote(TransactionManagerClient client, BucketMap.Node at, Vote vote)
      throws Exception {
    for (int attemptsLeft = ATTEMPTS; ; attemptsLeft--) {
      try {
        return client.vote(at, vote).get(60, SECONDS);
      } catch (ExecutionException e) {
        if (attemptsLeft == 0
            || !(e.getCause() instanceof TransactionManagerException failure)
            || failure.kind() != TransactionManagerException.Kind.UNAVAILABLE) {
          throw e;
        }
      }
    }
  }
}
