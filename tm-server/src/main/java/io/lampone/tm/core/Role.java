package io.lampone.tm.core;

import io.lampone.protocol.wire.WireRequest;
import java.util.List;

/** What a node is at the moment; {@link ManagerNode} lists the transitions. */
sealed interface Role permits Backup, Primary, Retired {

  /** Time has passed. */
  void tick();

  /** Requests have come. */
  BatchOutcome handle(List<WireRequest> batch);
}
