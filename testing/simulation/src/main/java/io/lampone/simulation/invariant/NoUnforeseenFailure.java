package io.lampone.simulation.invariant;

import io.lampone.client.core.failure.OperationUnknownException;
import io.lampone.client.core.failure.RowBlockedException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.core.failure.TransactionTimeoutException;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.simulation.world.FutureFailures;
import io.lampone.simulation.world.World;
import java.util.Set;

/** Invariant that all failures are of the expected kinds. */
public final class NoUnforeseenFailure {

  /** Refusals that requests of our own clients must never get, whatever happens to servers. */
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

  private NoUnforeseenFailure() {}

  public static void require(World world, Throwable failure) {
    Throwable cause = FutureFailures.unwrap(failure);
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

  public static void require(World world, Refusal refusal) {
    if (NEVER.contains(refusal.code())) {
      world.violated("NothingUnforeseen", "refused: " + refusal.toText());
    }
  }
}
