package io.lampone.simulation;

import io.lampone.client.core.OperationUnknownException;
import io.lampone.client.core.RowBlockedException;
import io.lampone.client.core.StoreRefusedException;
import io.lampone.client.core.StoreUnavailableException;
import io.lampone.client.core.TransactionEndedException;
import io.lampone.client.core.TransactionTimeoutException;
import io.lampone.protocol.Refusal;
import io.lampone.protocol.tm.TransactionManagerException;
import java.util.Set;

/** Invariant: nothing fails in a way that nobody foresaw. */
final class Failures {

  /** What must not come from requests of our own clients, whatever happens to servers. */
  private static final Set<Refusal.Code> NEVER =
      Set.of(
          Refusal.Code.LEVEL_MISMATCH,
          Refusal.Code.PLAIN_CLIENT,
          Refusal.Code.TABLE_CHANGING,
          Refusal.Code.IMPOSSIBLE_TIMESTAMP,
          Refusal.Code.UNSUPPORTED,
          Refusal.Code.MALFORMED,
          Refusal.Code.CORRUPT,
          Refusal.Code.FAST_PATH_DISABLED,
          Refusal.Code.MISPLACED,
          Refusal.Code.TOO_LARGE,
          Refusal.Code.INTERNAL);

  private Failures() {}

  static void require(World world, Throwable failure) {
    Throwable cause = Futures.unwrap(failure);
    if (cause instanceof StoreRefusedException refused) {
      require(world, refused.refusal());
    } else if (cause instanceof OperationUnknownException unknown && unknown.getCause() != null) {
      require(world, unknown.getCause());
    } else if (cause instanceof TransactionManagerException manager) {
      if (manager.kind() != TransactionManagerException.Kind.UNAVAILABLE) {
        world.violated("NothingUnforeseen", "transaction manager: " + manager.getMessage());
      }
    } else if (!(cause instanceof StoreUnavailableException
        || cause instanceof RowBlockedException
        || cause instanceof OperationUnknownException
        || cause instanceof TransactionEndedException
        || cause instanceof TransactionTimeoutException)) {
      world.violated("NothingUnforeseen", String.valueOf(cause));
    }
  }

  static void require(World world, Refusal refusal) {
    if (NEVER.contains(refusal.code())) {
      world.violated("NothingUnforeseen", "refused: " + refusal.toText());
    }
  }
}
